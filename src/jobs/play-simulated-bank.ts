import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { endPaymentTime } from '../payments/end-payment-time.ts'
import { findPaymentById } from '../payments/read.ts'
import { type DueStep, dueSteps, finishStep } from '../sandbox/due-steps.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'

/** Most steps of one round. */
const batchSize = 200

const playStep = async (context: Context, step: DueStep): Promise<void> => {
  if (step.action === 'end-time') {
    await endPaymentTime(context, step.merchantId, step.paymentId)
    await finishStep(context, step)
    return
  }
  const payment = await findPaymentById(context, step.merchantId, step.paymentId)
  await context.transaction(async (tx) => {
    if (payment && step.amount !== null) {
      await recordTransfers(tx, [
        {
          requisiteId: payment.requisiteId,
          currency: payment.currency,
          amount: step.amount,
          bookedAt: tx.now,
          source: 'sandbox',
          onlyMerchantId: payment.merchantId,
          // Played twice, by two workers or after a crash, the step is one transfer all the same.
          bankReference: `sandbox-${step.id}`,
          sender: null,
        },
      ])
    }
    await finishStep(tx, step)
  })
}

/** Plays what the simulated bank has to do by now, through the same intake and matching as a real bank's transfers. */
export const playSimulatedBank = async (context: Context): Promise<number> => {
  const steps = await dueSteps(context, batchSize)
  const failures: unknown[] = []
  // One step that fails must not hold up those after it.
  for (const step of steps)
    await playStep(context, step).catch(async (error: unknown) => {
      // What will be refused again is not tried again: a round has room for 200 only.
      if (error instanceof Refusal && error.code === 'amount_above_max') await finishStep(context, step)
      else failures.push(error)
    })
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} simulated steps failed`)
  return steps.length
}
