import type { Tx } from '../../../context.ts'
import { lockAdding } from '../../../database/lock-adding.ts'
import type { EndpointPolicy } from '../../../domain/endpoint.ts'
import { startSource, type RateSource, type RateSourceKind, type RateSourceWish } from '../../../domain/rate-source.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { checkSource, nameTaken } from './check-source.ts'
import { insertSource, lockSources } from './store.ts'

/** Most sources of all currencies. */
const mostSources = 200

/**
 * Adds a source of rates; it is used from the next round on. Refusals: `validation_failed`, `already_exists`, `invalid_state`
 * beyond the most sources.
 */
export const addRateSource = async (
  tx: Tx,
  policy: EndpointPolicy,
  { currency, kind }: { readonly currency: string; readonly kind: RateSourceKind },
  wish: RateSourceWish,
): Promise<RateSource> => {
  await lockAdding(tx, 'rate sources')
  const id = tx.newId()
  const checked = await checkSource(tx, policy, { id, currency, kind }, wish)
  if ((await tx.query(lockSources, {})).length >= mostSources) {
    throw new Refusal('invalid_state', `There are already ${mostSources} sources; remove one first.`)
  }
  const source: RateSource = {
    id,
    currency,
    kind,
    ...checked,
    ...startSource(checked, tx.now),
    decidedAt: tx.now,
  }
  // Another one may just have taken the name.
  const [added] = await tx.query(insertSource, { ...source, createdAt: tx.now })
  if (!added) throw nameTaken(currency, source.name)
  return source
}
