import type { Context } from '../context.ts'
import { getPaymentState, type PaymentState } from './read.ts'
import { paymentKey } from './lock-payment.ts'

/** A waiting reader looks this often, in case the hint of a change was lost. */
const pollMs = 2000
/** A service that stops answers who has waited at once, and who asks meanwhile not more often than this. */
const pauseMs = 1000

/**
 * Waits until the payment's sequence differs from the one given, at most `waitMs`, and returns the payment as it is
 * then. Ends early when `signal` aborts (the client is gone) or the service stops; what begins while it stops waits for a moment,
 * or clients would ask again and again until the load balancer sends them elsewhere.
 */
export const waitForPayment = async (
  context: Context,
  payment: PaymentState,
  waitMs: number,
  signal: AbortSignal,
): Promise<PaymentState> => {
  const { merchantId, orderId } = payment
  let wake = (): void => undefined
  // One timer instead of a signal of its own: ten thousand may wait, and a signal takes kilobytes.
  let ended = signal.aborted
  const end = (): void => {
    ended = true
    wake()
  }
  const isStopping = context.changes.closed()
  const timer = setTimeout(end, isStopping ? Math.min(waitMs, pauseMs) : waitMs)
  // Subscribed before the first look, so that no change falls in between.
  const unsubscribe = context.changes.subscribe(paymentKey(payment), () => wake())
  signal.addEventListener('abort', end)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const latest = (await getPaymentState(context, { merchantId, orderId })) ?? payment
      if (latest.sequence !== payment.sequence || ended) return latest
      if (context.changes.closed() && !isStopping) return latest
      const poll = setTimeout(() => wake(), pollMs)
      await woken
      clearTimeout(poll)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    unsubscribe()
  }
}
