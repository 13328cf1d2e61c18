import type { CatalogPart } from '../../database/catalog.ts'
import type { Rate } from '../../domain/rate.ts'
import { listLatestRates } from './store.ts'

/** The last rate of every currency, kept in memory. */
export const currentRates: CatalogPart<ReadonlyMap<string, Rate>> = {
  name: 'rates',
  load: async (sql) => new Map((await sql.query(listLatestRates, {})).map((rate) => [rate.currency, rate])),
}
