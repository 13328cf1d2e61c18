import type { Context } from '../context.ts'
import { advanceSettlement, createSettlement } from '../ledger/settlements/settlements.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'
import { simulatedOperators } from './simulated-operators.ts'

const [operator, secondOperator] = simulatedOperators

/**
 * Two simulated operators pay out the merchant's available balance. Refuses `balance_insufficient` if that is nothing.
 */
export const playSettlement = (context: Context, step: DueStep): Promise<void> =>
  context.transaction(async (tx) => {
    const { merchantId } = step
    const reference = `simulated-${step.id}`
    const wanted = { merchantId, reference, amount: null, destination: 'Simulated payout', draftedBy: operator }
    const above = context.settings.secondPersonAbove
    const { settlement } = await createSettlement(tx, wanted, above)
    const key = { merchantId, id: settlement.id }
    await advanceSettlement(tx, key, { step: 'approve', actor: secondOperator }, above)
    await advanceSettlement(tx, key, { step: 'pay', actor: operator, externalReference: reference }, above)
    await finishStep(tx, step)
  })
