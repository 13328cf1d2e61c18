import { bigint, type Codec, type Codecs, integer, nullable, query, uuid } from './query.ts'

/** Parameters of a bounded scan, next to those of its filter; `value` is the codec of what it is sorted by. */
const scanParametersOf = <T>(value: Codec<T>) => ({
  after: nullable(uuid),
  afterValue: nullable(value),
  from: nullable(uuid),
  to: nullable(uuid),
  scanned: integer,
  limit: integer,
})

/** Rows of a bounded scan; see `ScanRow`. */
const scanRowOf = <T>(value: Codec<T>) => ({ ownerId: nullable(uuid), id: uuid, value: nullable(value) })

/** What a scan reads: rows of owners one after the other, so that an index of owner and key gives their order. */
export type Scanned = {
  /** A subquery with the `id` of those whose rows are wanted. */
  readonly owners: string
  /** Where the rows of `owner.id` are. */
  readonly rows: string
  /** The column with the owner of a row. */
  readonly owner: string
  /** The column with their id. */
  readonly id: string
  /** Conditions that an index meets; every row that they pass is looked at. */
  readonly where: string
  /** The condition that may need to look at many rows for each that it passes. */
  readonly matches: string
}

/** What a scan is sorted by: a column and then the ids, or the ids alone, which give the order in which rows were made. */
export type SortedBy = {
  readonly column: string | null
  /** The SQL type of the column. */
  readonly type: 'bigint' | 'timestamptz'
  readonly isDescending: boolean
}

/** By when rows were made. */
export const byTime = (order: 'newest' | 'oldest'): SortedBy => ({
  ...{ column: null, type: 'bigint' },
  isDescending: order === 'newest',
})

/** By an amount, the largest or the smallest first. */
export const byAmountIn = (column: string) => ({
  amount: { column, type: 'bigint', isDescending: false } as const,
  '-amount': { column, type: 'bigint', isDescending: true } as const,
})

/** The id of the row that says that nothing was sorted. */
const noId = '00000000-0000-0000-0000-000000000000'

const inSpan = (id: string): string => `(:from is null or ${id} >= :from) and (:to is null or ${id} < :to)`

/** The texts of an order over columns: what rows are ordered by, the key of a row, and whether they come after a cursor. */
const orderOf = ({ column, isDescending }: SortedBy, value: string, id: string) => {
  const [direction, beyond] = isDescending ? ['desc', '<'] : ['asc', '>']
  return column === null
    ? {
        orderBy: `${id} ${direction}`,
        key: id,
        isAfter: `:afterValue is null and (:after is null or ${id} ${beyond} :after)`,
      }
    : {
        orderBy: `${value} ${direction}, ${id} ${direction}`,
        key: `(${value}, ${id})`,
        isAfter: `(:after is null or (${value}, ${id}) ${beyond} (:afterValue, :after))`,
      }
}

/**
 * The text of a bounded scan: at most `:scanned` rows of each owner are looked at. Where an owner has more, no row beyond
 * its last one is returned, because rows of this owner might be missing before it: that row comes without an owner.
 */
export const scanText = ({ owners, rows, owner, id, where, matches }: Scanned, by: SortedBy): string => {
  const value = by.column ?? `null::${by.type}`
  const looked = orderOf(by, value, id)
  const { orderBy } = orderOf(by, 'value', 'id')
  // In the order of their ids the rows of a span follow each other; in any other one they are spread over the index.
  const [met, matching] =
    by.column === null
      ? [`${looked.isAfter} and ${inSpan(id)}`, matches]
      : [looked.isAfter, `${matches} and ${inSpan(id)}`]
  const [found, last] = ['scanned', 'edge'].map((name) => orderOf(by, `${name}.value`, `${name}.id`).key)
  return `with scanned as (
      select scan.owner_id, scan.id, scan.value, scan.matches, scan.position from ${owners} as owner cross join lateral (
        select ${owner} as owner_id, ${id} as id, ${value} as value, (${matching}) as matches,
          row_number() over (order by ${looked.orderBy}) as position
        from ${rows}
        where ${where} and ${met}
        order by ${looked.orderBy} limit :scanned
      ) as scan
    ), edge as (
      select id, value from scanned where position = :scanned order by ${orderBy} limit 1
    )
    (select owner_id, id, value from scanned
      where matches and not exists (select from edge where ${found} ${by.isDescending ? '<' : '>'} ${last})
      order by ${orderBy} limit :limit)
    union all select null, id, value from edge`
}

/**
 * The text that sorts all rows which an index meets, where these are less than `:scanned`. Otherwise one row without an
 * owner says that nothing was sorted.
 */
export const sortText = ({ owners, rows, owner, id, where, matches }: Scanned, by: SortedBy): string => {
  const { orderBy, isAfter } = orderOf(by, 'value', 'id')
  return `with looked as materialized (
      select scan.owner_id, scan.id, scan.value, scan.matches from ${owners} as owner cross join lateral (
        select ${owner} as owner_id, ${id} as id, ${by.column ?? `null::${by.type}`} as value, (${matches}) as matches
        from ${rows} where ${where} and ${inSpan(id)} order by ${id} limit :scanned
      ) as scan limit :scanned
    ), size as (
      select count(*) as looked from looked
    )
    (select owner_id, id, value from looked
      where matches and ${isAfter} and (select looked < :scanned from size)
      order by ${orderBy} limit :limit)
    union all select null, '${noId}', null from size where looked >= :scanned`
}

/** The text of a count that looks at no more than `:most` rows. */
const countText = ({ owners, rows, id, where, matches }: Scanned): string => `
    select (count(*) filter (where matches))::integer as matching, count(*)::integer as examined from (
      select scan.matches from ${owners} as owner cross join lateral (
        select (${matches}) as matches from ${rows}
        where ${where} and ${inSpan(id)}
        order by ${id} desc limit :most
      ) as scan limit :most
    ) as examined`

/** The queries of a list with a filter: scans by amounts or by when rows were made, scans by another value, and counts. */
export const listQueries = <F extends Codecs>(filter: F) => {
  const scanBy = <T>(value: Codec<T>, name: string, text: string) =>
    query(name, {
      planned: 'each-time',
      parameters: { ...filter, ...scanParametersOf(value) },
      row: scanRowOf(value),
      text,
    })
  return {
    scanBy,
    scan: (name: string, text: string) => scanBy(bigint, name, text),
    count: (name: string, scanned: Scanned) =>
      query(name, {
        planned: 'each-time',
        parameters: { ...filter, from: nullable(uuid), to: nullable(uuid), most: integer },
        row: { matching: integer, examined: integer },
        text: countText(scanned),
      }),
  }
}
