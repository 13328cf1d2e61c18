import type { Context } from '../context.ts'
import type { Payment } from '../domain/payment.ts'
import { getPayment } from './get-payments.ts'
import { paymentKey } from './payment-key.ts'

/** A waiting reader looks by itself this often, in case the hint of a change was lost. */
const pollMs = 2000

/** Resolves at the next hint of a change (`true`), or after `ms` or when `signal` ends the waiting (`false`). */
const nextHint = (context: Context, key: string, ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const done = (hinted: boolean): void => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', abort)
      resolve(hinted)
    }
    const abort = (): void => done(false)
    const timer = setTimeout(() => done(false), ms)
    const unsubscribe = context.changes.subscribe(key, () => done(true))
    signal.addEventListener('abort', abort)
  })

/**
 * Waits until the payment's sequence differs from the one given, at most `waitMs`, and returns the payment as it is
 * then. Ends early when `signal` aborts (the client is gone) or the service stops.
 */
export const waitForPayment = async (
  context: Context,
  payment: Payment,
  waitMs: number,
  signal: AbortSignal,
): Promise<Payment> => {
  const { merchantId, orderId } = payment
  let left = waitMs
  let latest = payment
  while (latest.sequence === payment.sequence && !signal.aborted && !context.changes.closed()) {
    const slice = Math.min(left, pollMs)
    const hinted = await nextHint(context, paymentKey(payment), slice, signal)
    latest = (await getPayment(context, { merchantId, orderId })) ?? latest
    if (!hinted) left -= slice
    if (left <= 0) break
  }
  return latest
}
