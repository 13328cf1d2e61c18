import type { Instant } from '../domain/time.ts'
import { array, bigint, instant, type Query, query, text } from './query.ts'

/** What invariants compare the data with; each query takes the parameters that it names. */
export type InvariantParameters = {
  readonly now: Instant
  /** The transition table of payments, one row per status that may change. */
  readonly froms: readonly string[]
  readonly tos: readonly string[]
  readonly triggers: readonly string[]
  readonly currencies: readonly string[]
  /** Quote units, scaled like a price, of one minor unit of each of the currencies. */
  readonly scales: readonly bigint[]
}

/** What always holds in the data, and the query that finds the rows for which it does not. */
export type Invariant = {
  readonly name: string
  readonly meaning: string
  readonly find: Query<InvariantParameters, { readonly example: string; readonly broken: bigint }>
}

/** Most examples that an invariant's query returns; it counts all broken rows. */
const maxExamples = 20

const known = {
  now: instant,
  froms: array(text),
  tos: array(text),
  triggers: array(text),
  currencies: array(text),
  scales: array(bigint),
}

/** Declares an invariant; `select` has one column, the text that names a broken row. */
export const invariant = (name: string, meaning: string, select: string): Invariant => {
  const used = Object.entries(known).filter(([parameter]) => select.includes(`:${parameter}`))
  const find = query({
    name: `invariant_${name.replaceAll('-', '_')}`,
    planned: 'whole',
    parameters: Object.fromEntries(used) as typeof known,
    row: { example: text, broken: bigint },
    text: `select example, count(*) over () as broken from (${select}) as found (example) limit ${maxExamples}`,
  })
  return { name, meaning, find }
}
