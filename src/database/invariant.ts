import type { Instant } from '../domain/time.ts'
import { bigint, instant, type Query, query, text } from './query.ts'

/** What the queries of invariants compare the data with. */
export type InvariantParameters = {
  readonly now: Instant
  /** Each currency of payments, with the quote units, scaled like a price, of one of its minor units. */
  readonly rows: readonly { readonly currency: string; readonly scale: bigint }[]
}

/** What always holds in the data, and the query that finds the rows for which it does not. */
export type Invariant = {
  readonly name: string
  readonly meaning: string
  readonly find: Query<InvariantParameters, { readonly example: string; readonly broken: bigint }>
}

/** Most examples that an invariant's query returns; it counts all broken rows. */
const maxExamples = 20

const currencyRow = { currency: text, scale: bigint }

/** Declares an invariant; `select` has one column, the text that names a broken row, and may use `:now` and `:rows`. */
export const invariant = (name: string, meaning: string, select: string): Invariant => {
  const find = query(`invariant_${name.replaceAll('-', '_')}`, {
    planned: 'whole',
    // A query declares only what it uses.
    parameters: (select.includes(':now') ? { now: instant } : {}) as { readonly now: typeof instant },
    rows: (select.includes(':rows') ? currencyRow : undefined) as typeof currencyRow,
    row: { example: text, broken: bigint },
    text: `select example, count(*) over () as broken from (${select}) as found (example) limit ${maxExamples}`,
  })
  return { name, meaning, find }
}
