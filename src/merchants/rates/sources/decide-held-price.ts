import type { Tx } from '../../../context.ts'
import type { RateSource } from '../../../domain/rate-source.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { setRate } from '../set-rate.ts'
import { lockRateSource } from './read.ts'
import { insertFetches, updatePrices } from './store.ts'

/**
 * Decides about a price that waits because it is too far from the last rate or that of a day ago: accepted, it is the rate
 * from now on; refused, it is forgotten until the source says it again. Refusals: `resource_not_found`, `invalid_state` when another price waits,
 * or none.
 */
export const decideHeldPrice = async (
  tx: Tx,
  id: string,
  decision: { readonly price: bigint; readonly accepted: boolean; readonly by: string },
): Promise<RateSource> => {
  const source = await lockRateSource(tx, id)
  const { price, accepted, by } = decision
  if (source.heldPrice !== price) {
    throw new Refusal('invalid_state', 'This price does not wait, or no longer: look at the sources again.')
  }
  const { currency, name, kind, maxAgeMs } = source
  const rate = { currency, price, source: name, maxAgeMs: kind === 'fixed' ? null : maxAgeMs, outsideBand: true }
  const set = accepted ? await setRate(tx, rate) : undefined
  const after: RateSource = {
    ...source,
    price: accepted ? price : null,
    pricedAt: accepted ? tx.now : null,
    heldPrice: null,
    heldSince: null,
    decidedAt: set?.createdAt ?? source.decidedAt,
  }
  await tx.query(updatePrices, { rows: [after] })
  const outcome = accepted ? 'accepted' : 'refused'
  await tx.query(insertFetches, {
    rows: [{ id: tx.newId(), sourceId: id, at: tx.now, outcome, price, error: null, decidedBy: by }],
  })
  return after
}
