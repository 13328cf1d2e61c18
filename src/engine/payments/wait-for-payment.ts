import type { Context } from '../context.ts'
import { getPaymentState, type PaymentState } from './read.ts'
import { paymentKey } from './lock-payment.ts'

/** How often a waiting reader checks, in case the hint of a change was lost. */
const pollMs = 2000
/** A stopping service answers waiting readers immediately; new calls wait this long first. */
const pauseMs = 1000

/**
 * Waits until the payment's sequence differs from the given one, at most `waitMs`, and returns the current payment.
 * Ends early when `signal` aborts (the client is gone) or the service stops. A call that begins while it stops waits
 * for a moment; otherwise clients would retry in a tight loop until the load balancer sends them elsewhere.
 */
export const waitForPayment = async (
  context: Context,
  payment: PaymentState,
  waitMs: number,
  signal: AbortSignal,
): Promise<PaymentState> => {
  const { merchantId, orderId } = payment
  let wake = (): void => undefined
  // One timer instead of a separate signal: ten thousand calls may wait, and a signal takes kilobytes.
  let ended = signal.aborted
  const end = (): void => {
    ended = true
    wake()
  }
  const isStopping = context.changes.closed()
  const timer = setTimeout(end, isStopping ? Math.min(waitMs, pauseMs) : waitMs)
  // Subscribed before the first read, so that no change is missed in between.
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
