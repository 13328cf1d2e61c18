import type { Context, Tx } from '../context.ts'
import { approveDestination, proposeDestination } from '../ledger/destinations/destinations.ts'
import { advanceSettlement, createSettlement, listRequestedSettlements } from '../ledger/settlements/settlements.ts'
import { findMerchant } from '../merchants/read.ts'
import type { AloneBound } from '../../rules/money/settlement.ts'
import { Refusal } from '../../rules/refusal.ts'
import { usdt } from '../../rules/values/currency.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'
import { simulatedOperators } from './play-dispute.ts'

const [operator, secondOperator] = simulatedOperators

/** Nobody has the key of this wallet: its account is the number 0. */
const wallet = { kind: 'tron', address: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', label: 'Simulated wallet' } as const
/** An account in no country. */
const bankAccount = { kind: 'iban', address: 'XX900000000000000000', label: 'Simulated account' } as const

const payOut = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  externalReference: string,
  alone: AloneBound,
): Promise<void> => {
  // Who drafted it is the first of the two.
  for (const actor of [secondOperator, operator]) {
    const { status } = await advanceSettlement(tx, key, { step: 'approve', actor }, alone)
    if (status === 'approved') break
  }
  await advanceSettlement(tx, key, { step: 'pay', actor: operator, externalReference }, alone)
}

/** As operators would: what cannot be approved fails, with the reason. */
const payOutOrFail = async (tx: Tx, key: { readonly merchantId: string; readonly id: string }, alone: AloneBound) => {
  try {
    await payOut(tx, key, `simulated-${key.id}`, alone)
  } catch (error) {
    // A refused step has written nothing.
    if (!(error instanceof Refusal)) throw error
    await advanceSettlement(tx, key, { step: 'fail', actor: operator, failure: error.message }, alone)
  }
}

/** Settles all that is available to where two simulated operators first agree on. */
const settleAll = async (tx: Tx, { merchantId, id: stepId }: DueStep, alone: AloneBound): Promise<void> => {
  const reference = `simulated-${stepId}`
  const { quoteCurrency: currency } = (await findMerchant(tx, merchantId)).settings
  const to = currency === usdt ? wallet : bankAccount
  const { destination } = await proposeDestination(tx, { merchantId, ...to, requestedBy: null, proposedBy: operator })
  const { id: destinationId } = destination
  const alike = { actor: secondOperator, mayAlone: false, coolingHours: 0 }
  await approveDestination(tx, { merchantId, id: destinationId }, alike)
  const wanted = { merchantId, reference, currency, amount: null, destinationId, draftedBy: operator }
  const { settlement } = await createSettlement(tx, wanted, alone)
  await payOut(tx, { merchantId, id: settlement.id }, reference, alone)
}

/**
 * Two simulated operators pay out what the merchant has asked for; or, if nothing, what is available in its quote currency
 * to a simulated wallet or account, which they first agree on. Refuses `balance_insufficient` if the balance is nothing.
 */
export const playSettlement = (context: Context, step: DueStep): Promise<void> =>
  context.transaction(async (tx) => {
    const { merchantId } = step
    const alone = { above: context.settings.secondPersonAbove, hasTwo: true }
    const requested = await listRequestedSettlements(tx, { merchantId })
    for (const { id } of requested) await payOutOrFail(tx, { merchantId, id }, alone)
    if (requested.length === 0) await settleAll(tx, step, alone)
    await finishStep(tx, step)
  })
