import type { Instant } from '../domain/time.ts'
import { narrow, type Narrowing } from './changed-rows.ts'
import { array, bigint, type Codec, instant, type Query, query, text, uuid } from './query.ts'

/** What the queries of invariants compare the data with. */
export type InvariantParameters = {
  readonly now: Instant
  /** Each currency of payments, with the quote units, scaled like a price, of one of its minor units. */
  readonly rows: readonly { readonly currency: string; readonly scale: bigint }[]
}

/** What has changed since a time: payments, transfers, and documents such as settlements, each with its owner. */
export type ChangedParameters = InvariantParameters & {
  readonly since: Instant
  /** The least id of an hour before that. */
  readonly earlierId: string
  /** An hour some days before that, and its least id. */
  readonly hoursFrom: Instant
  readonly hoursId: string
  readonly paymentMerchants: readonly string[]
  readonly paymentIds: readonly string[]
  readonly transferRequisites: readonly string[]
  readonly transferIds: readonly string[]
  readonly documentBooks: readonly string[]
  readonly documentIds: readonly string[]
}

type Found = { readonly example: string; readonly broken: bigint }

/** What always holds in the data, and the query that finds the rows for which it does not. */
export type Invariant = {
  readonly name: string
  readonly meaning: string
  readonly find: Query<InvariantParameters, Found>
  /** The same among what has changed; undefined where the other invariants imply it. */
  readonly findChanged: Query<ChangedParameters, Found> | undefined
}

/** Most examples that an invariant's query returns; it counts all broken rows. */
const maxExamples = 20

const currencyRow = { currency: text, scale: bigint }

const parameterCodecs: Readonly<Record<string, Codec<never>>> = {
  now: instant,
  since: instant,
  earlierId: uuid,
  hoursFrom: instant,
  hoursId: uuid,
  ...Object.fromEntries(
    ['paymentMerchants', 'paymentIds', 'transferRequisites', 'transferIds', 'documentBooks', 'documentIds'].map(
      (name) => [name, array(uuid)],
    ),
  ),
} as never

const declare = <P>(name: string, select: string, clause = ''): Query<P, Found> => {
  const whole = `${clause}select example, count(*) over () as broken from (${select}) as found (example) limit ${maxExamples}`
  // A query declares only what it uses.
  const parameters = Object.fromEntries(
    Object.entries(parameterCodecs).filter(([each]) => new RegExp(`(?<![:\\w]):${each}\\b`).test(whole)),
  )
  return query(name, {
    planned: 'whole',
    parameters,
    rows: (select.includes(':rows') ? currencyRow : undefined) as typeof currencyRow,
    row: { example: text, broken: bigint },
    text: whole,
  }) as unknown as Query<P, Found>
}

/**
 * Declares an invariant; `select` has one column, the text that names a broken row, and may use `:now` and `:rows`. It is
 * asked about all rows and about those that have changed; `narrowing` says what is different for the latter.
 */
export const invariant = (
  name: string,
  meaning: string,
  select: string,
  narrowing: Narrowing | 'implied' = {},
): Invariant => {
  const queryName = `invariant_${name.replaceAll('-', '_')}`
  const find = declare<InvariantParameters>(queryName, select)
  if (narrowing === 'implied') return { name, meaning, find, findChanged: undefined }
  const changed = narrowing.by ?? select
  const findChanged = declare<ChangedParameters>(`${queryName}_changed`, changed, narrow(changed, narrowing))
  return { name, meaning, find, findChanged }
}
