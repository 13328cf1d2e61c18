import type { Tx } from '../../../context.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { applyRates } from './apply-rates.ts'
import { deleteOverride, lockSources } from './store.ts'

/**
 * Ends the override of a currency: its sources set the rate again, at once where they have a price. Without sources the
 * rate of the override lasts until another one is set. Refuses `resource_not_found` when none is in force.
 */
export const endOverride = async (tx: Tx, currency: string): Promise<void> => {
  const sources = await tx.query(lockSources, {})
  const [ended] = await tx.query(deleteOverride, { currency, now: tx.now })
  if (!ended) throw new Refusal('resource_not_found', `No override of ${currency} is in force.`)
  await applyRates(
    tx,
    sources.filter((source) => source.currency === currency),
    new Map(),
  )
}
