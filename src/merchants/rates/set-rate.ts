import type { Tx } from '../../context.ts'
import { raiseCatalogVersion } from '../../database/catalog.ts'
import { isWithinBand, type Rate, rateBandPercent } from '../../domain/rate.ts'
import { Refusal } from '../../domain/refusal.ts'
import { insertRate, listLatestRates } from './store.ts'

/** Sets the price of a currency from now on; refuses `rate_outside_band` unless `outsideBand` allows it. */
export const setRate = async (
  tx: Tx,
  rate: {
    readonly currency: string
    readonly price: bigint
    readonly source: string
    readonly maxAgeMs: number | null
    readonly outsideBand: boolean
  },
): Promise<Rate> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'rates')
  const last = (await tx.query(listLatestRates, {})).find((each) => each.currency === rate.currency)
  if (last && !rate.outsideBand && !isWithinBand(last.price, rate.price)) {
    throw new Refusal(
      'rate_outside_band',
      `The price differs from the last one by more than ${rateBandPercent} %. Check it, and repeat with outsideBand when it is right.`,
    )
  }
  const set: Rate = {
    currency: rate.currency,
    price: rate.price,
    createdAt: Math.max(tx.now, (last?.createdAt ?? 0) + 1),
    source: rate.source,
    validUntil: rate.maxAgeMs === null ? null : tx.now + rate.maxAgeMs,
  }
  await tx.query(insertRate, set)
  return set
}
