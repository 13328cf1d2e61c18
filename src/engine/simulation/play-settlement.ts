import type { Context } from '../context.ts'
import { approveDestination, proposeDestination } from '../ledger/destinations/destinations.ts'
import { advanceSettlement, createSettlement } from '../ledger/settlements/settlements.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'
import { simulatedOperators } from './play-dispute.ts'

const [operator, secondOperator] = simulatedOperators

/** Nobody has the key of this wallet: its account is the number 0. */
const wallet = { kind: 'tron', address: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', label: 'Simulated wallet' } as const

/**
 * Two simulated operators pay out the merchant's available balance to a simulated wallet, which they first agree on.
 * Refuses `balance_insufficient` if the balance is nothing.
 */
export const playSettlement = (context: Context, step: DueStep): Promise<void> =>
  context.transaction(async (tx) => {
    const { merchantId } = step
    const reference = `simulated-${step.id}`
    const { destination } = await proposeDestination(tx, { merchantId, ...wallet, proposedBy: operator })
    const { id: destinationId } = destination
    const alike = { actor: secondOperator, mayAlone: false, coolingHours: 0 }
    await approveDestination(tx, { merchantId, id: destinationId }, alike)
    const wanted = { merchantId, reference, amount: null, destinationId, draftedBy: operator }
    const above = context.settings.secondPersonAbove
    const { settlement } = await createSettlement(tx, wanted, above)
    const key = { merchantId, id: settlement.id }
    await advanceSettlement(tx, key, { step: 'approve', actor: secondOperator }, above)
    await advanceSettlement(tx, key, { step: 'pay', actor: operator, externalReference: reference }, above)
    await finishStep(tx, step)
  })
