import type { Context } from '../context.ts'
import { approveDestination, proposeDestination } from '../ledger/destinations/destinations.ts'
import { advanceSettlement, createSettlement } from '../ledger/settlements/settlements.ts'
import { findMerchant } from '../merchants/read.ts'
import { usdt } from '../../rules/values/currency.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'
import { simulatedOperators } from './play-dispute.ts'

const [operator, secondOperator] = simulatedOperators

/** Nobody has the key of this wallet: its account is the number 0. */
const wallet = { kind: 'tron', address: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', label: 'Simulated wallet' } as const
/** An account in no country. */
const bankAccount = { kind: 'iban', address: 'XX900000000000000000', label: 'Simulated account' } as const

/**
 * Two simulated operators pay out what is available in the merchant's quote currency to a simulated wallet or account,
 * which they first agree on.
 * Refuses `balance_insufficient` if the balance is nothing.
 */
export const playSettlement = (context: Context, step: DueStep): Promise<void> =>
  context.transaction(async (tx) => {
    const { merchantId } = step
    const reference = `simulated-${step.id}`
    const { quoteCurrency: currency } = (await findMerchant(tx, merchantId)).settings
    const to = currency === usdt ? wallet : bankAccount
    const { destination } = await proposeDestination(tx, { merchantId, ...to, proposedBy: operator })
    const { id: destinationId } = destination
    const alike = { actor: secondOperator, mayAlone: false, coolingHours: 0 }
    await approveDestination(tx, { merchantId, id: destinationId }, alike)
    const wanted = { merchantId, reference, currency, amount: null, destinationId, draftedBy: operator }
    const alone = { above: context.settings.secondPersonAbove, hasTwo: true }
    const { settlement } = await createSettlement(tx, wanted, alone)
    const key = { merchantId, id: settlement.id }
    await advanceSettlement(tx, key, { step: 'approve', actor: secondOperator }, alone)
    await advanceSettlement(tx, key, { step: 'pay', actor: operator, externalReference: reference }, alone)
    await finishStep(tx, step)
  })
