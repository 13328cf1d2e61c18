import type { Queryable } from '../../../database/database.ts'
import type { Rate } from '../../../domain/rate.ts'
import { dayBegins, overrideSource, type RateBases, type RateSource } from '../../../domain/rate-source.ts'
import type { Instant } from '../../../domain/time.ts'
import { listBaseRates, listRatesAt } from './store.ts'

const byCurrency = (rates: readonly Rate[]): ReadonlyMap<string, Rate> =>
  new Map(rates.map((rate) => [rate.currency, rate]))

/** From which rates the prices of sources are measured, by currency. */
export const listBases = async (
  sql: Queryable,
  sources: readonly RateSource[],
  now: Instant,
): Promise<(currency: string) => RateBases> => {
  const rows = [...Map.groupBy(sources, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    at: dayBegins(own, now),
  }))
  const last = byCurrency(await sql.query(listBaseRates, { overrideSource }))
  const dayAgo = byCurrency(await sql.query(listRatesAt, { overrideSource, rows }))
  return (currency) => ({ last: last.get(currency), dayAgo: dayAgo.get(currency) })
}
