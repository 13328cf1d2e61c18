import { serviceBooks } from '../../rules/money/ledger.ts'
import { type Instant, mostAheadMs } from '../../rules/time.ts'
import { narrow, type Narrowing } from './changed/narrow.ts'
import { array, bigint, type Codec, instant, type Query, query, text, uuid } from 'payin-database'

/** Adds the books of the service to those of the merchants, in SQL. */
export const withServiceBooks = Object.values(serviceBooks)
  .map((book) => `union all select '${book}'::uuid`)
  .join(' ')

/** The time with which the queries of invariants compare the data. */
export type InvariantParameters = { readonly now: Instant }

/** SQL for how far the times may differ that clocks of two processes have written. */
export const mostApart = `interval '${mostAheadMs} milliseconds'`

const ids = array(uuid)

/** What has changed since a time: payments, transfers, and documents such as settlements, each with its owner. */
const changedCodecs = {
  since: instant,
  /** The smallest id of an hour before that. */
  earlierId: uuid,
  /** An hour some days before that, and its smallest id. */
  ...{ hoursFrom: instant, hoursId: uuid },
  ...{ paymentMerchants: ids, paymentIds: ids, transferRequisites: ids, transferIds: ids },
  ...{ documentBooks: ids, documentIds: ids },
}

export type ChangedParameters = InvariantParameters & {
  readonly [K in keyof typeof changedCodecs]: (typeof changedCodecs)[K] extends Codec<infer T> ? T : never
}

type Found = { readonly example: string; readonly broken: bigint }

/** A rule that always holds in the data, and the query that finds the rows that break it. */
export type Invariant = {
  readonly name: string
  readonly meaning: string
  readonly find: Query<InvariantParameters, Found>
  /** The same among what has changed; undefined if the other invariants imply it. */
  readonly findChanged: Query<ChangedParameters, Found> | undefined
}

/** Most examples that an invariant's query returns; it counts all broken rows. */
const maxExamples = 20

const declare = <P>(name: string, select: string, clause = '', hashesJoins = false): Query<P, Found> => {
  const whole = `${clause}select example, count(*) over () as broken from (${select}) as found (example) limit ${maxExamples}`
  // A query declares only what it uses.
  const parameters = Object.fromEntries(
    Object.entries({ now: instant, ...changedCodecs }).filter(([each]) =>
      new RegExp(`(?<![:\\w]):${each}\\b`).test(whole),
    ),
  )
  return query(name, {
    planned: 'whole',
    hashesJoins,
    parameters,
    row: { example: text, broken: bigint },
    text: whole,
  }) as unknown as Query<P, Found>
}

/**
 * Declares an invariant; `select` has one column, the text that names a broken row, and may use `:now`. It
 * runs on all rows and on changed ones; `narrowing` says what is different for the latter.
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
  // In a table larger than the set of changes, the few rows needed are looked up.
  const hashesJoins = Object.keys(narrowing).length === 0
  const findChanged = declare<ChangedParameters>(
    `${queryName}_changed`,
    changed,
    narrow(changed, narrowing),
    hashesJoins,
  )
  return { name, meaning, find, findChanged }
}
