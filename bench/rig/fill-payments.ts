import { createPayments } from '../../src/engine/payments/create-payments.ts'
import type { Bench } from './open-bench.ts'
import { openPayin, type Storage } from './payin.ts'

/** Payments per call: as many as the service itself would coalesce. */
const batch = 500

/**
 * Creates `count` payments with the use case that the API calls. Their orderIds are `poll-<first>` and following; the
 * default for `first` is 1.
 */
export const fillPayments = async (
  { merchant, signal, say }: Pick<Bench, 'merchant' | 'signal' | 'say'>,
  storage: Storage,
  count: number,
  first = 1,
): Promise<void> => {
  const service = await openPayin(storage)
  try {
    for (let from = 1; from <= count; from += batch) {
      signal.throwIfAborted()
      say(`creating payments to poll: ${from - 1} of ${count}`)
      const next = first + from - 1
      const commands = Array.from({ length: Math.min(batch, count - from + 1) }, (_, index) => ({
        merchantId: merchant.id,
        request: {
          type: 'direct' as const,
          // Different amounts, so that no two need the same slot.
          amount: `${100 + Math.floor((next + index) / 90)}.${10 + ((next + index) % 90)}`,
          orderId: `poll-${next + index}`,
          currency: 'rub',
          method: 'sbp' as const,
        },
      }))
      const results = await createPayments(service.context, commands)
      const refused = results.find((result) => result.kind !== 'created')
      if (refused) throw new Error(`a payment to poll was not created: ${refused.kind}`)
    }
  } finally {
    await service.stop()
  }
}
