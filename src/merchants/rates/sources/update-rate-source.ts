import type { Tx } from '../../../context.ts'
import type { EndpointPolicy } from '../../../domain/endpoint.ts'
import { startSource, type RateSource, type RateSourceWish } from '../../../domain/rate-source.ts'
import { checkSource } from './check-source.ts'
import { lockRateSource } from './read.ts'
import { updateSourceRow } from './store.ts'

/**
 * Changes a source; what is left out stays as it is. A JSON source is fetched again at once, and has no price until then.
 * Refusals: `resource_not_found`, `validation_failed`, `already_exists`.
 */
export const updateRateSource = async (
  tx: Tx,
  policy: EndpointPolicy,
  id: string,
  change: Partial<RateSourceWish>,
): Promise<RateSource> => {
  const before = await lockRateSource(tx, id)
  const wish = await checkSource(tx, policy, before, { ...before, ...change })
  const after: RateSource = {
    ...before,
    ...wish,
    ...startSource(wish, tx.now),
  }
  await tx.query(updateSourceRow, after)
  return after
}
