import type { Context, Tx } from '../context.ts'
import { forEachAlone } from '../for-each-alone.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { SimulatedStep } from '../../rules/sandbox/simulation.ts'
import { endPaymentTime, failPayment } from '../payments/close-payments.ts'
import { hastenReminder } from '../payments/reminders/remind-of-acks.ts'
import { type DueStep, dueSteps, finishStep } from '../sandbox/simulate-payments.ts'
import { playDispute } from './play-dispute.ts'
import { playMoney } from './play-money.ts'
import { playRefund } from './play-refund.ts'
import { playSettlement } from './play-settlement.ts'

const batchSize = 200

const playOnPayment =
  (change: (tx: Tx, merchantId: string, paymentId: string) => Promise<unknown>) =>
  (context: Context, step: DueStep): Promise<void> =>
    context.transaction(async (tx) => {
      await change(tx, step.merchantId, step.paymentId)
      await finishStep(tx, step)
    })

/** Plays a step and removes it from the plan; playing it twice, by two workers or after a crash, changes no more. */
const players: Readonly<Record<SimulatedStep['action'], (context: Context, step: DueStep) => Promise<void>>> = {
  transfer: playMoney.transfer,
  reversal: playMoney.reversal,
  'end-time': playOnPayment(endPaymentTime),
  fail: playOnPayment(failPayment),
  remind: playOnPayment(hastenReminder),
  settle: playSettlement,
  refund: playRefund.pay,
  'fail-refund': playRefund.fail,
  'open-dispute': playDispute.open,
  'accept-dispute': playDispute.accept,
  'reject-dispute': playDispute.reject,
}

/**
 * Plays the steps of simulated banks, payers and operators that are due, through the same intake, matching and
 * decisions as real ones; for one merchant or for all. Returns how many steps it took.
 */
export const playSimulatedSteps = async (context: Context, merchantId: string | null = null): Promise<number> => {
  const steps = await dueSteps(context, merchantId, batchSize)
  return forEachAlone(steps, (step) =>
    players[step.action](context, step).catch((error: unknown) => {
      // A step that would be refused again is not retried: a round has room for only 200.
      if (!(error instanceof Refusal) || error.code === 'overloaded') throw error
      context.log.info({ merchantId: step.merchantId, step: step.action, code: error.code }, 'simulated step refused')
      return finishStep(context, step)
    }),
  )
}
