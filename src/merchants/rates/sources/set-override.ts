import type { Tx } from '../../../context.ts'
import { overrideSource } from '../../../domain/rate-source.ts'
import { refuseField } from '../../../domain/refusal.ts'
import type { Instant } from '../../../domain/time.ts'
import { setRate } from '../set-rate.ts'
import { lockSources, upsertOverride } from './store.ts'

/** An operator's own rate of a currency until a time. */
export type Override = {
  readonly currency: string
  readonly price: bigint
  readonly endsAt: Instant
  readonly reason: string
  readonly setBy: string
}

/**
 * Sets the rate of a currency until a time, whatever its sources say. Refuses `validation_failed` for a time that is not to
 * come, and `rate_outside_band` as `setRate` does.
 */
export const setOverride = async (tx: Tx, override: Override, outsideBand: boolean): Promise<void> => {
  const { currency, price, endsAt } = override
  if (endsAt <= tx.now) throw refuseField('validation_failed', 'until', 'is not in the future.')
  // Excludes a fetch that has not seen the override and would set the rate after it.
  await tx.query(lockSources, {})
  await setRate(tx, { currency, price, source: overrideSource, maxAgeMs: endsAt - tx.now, outsideBand })
  await tx.query(upsertOverride, { ...override, setAt: tx.now })
}
