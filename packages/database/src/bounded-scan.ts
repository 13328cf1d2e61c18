import { bigint, type Codec, type Codecs, integer, nullable, query, uuid } from './query.ts'

/** Parameters of a bounded scan, besides those of its filter; `value` is the codec of the sort value. */
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

/** What a scan reads: the rows of one owner after another, so that an index of owner and key gives their order. */
export type Scanned = {
  /** A subquery with the `id` of each owner whose rows are wanted. */
  readonly owners: string
  /** The source of the rows of `owner.id`. */
  readonly rows: string
  /** The column with a row's owner. */
  readonly owner: string
  /** The column with a row's id. */
  readonly id: string
  /** Conditions that an index meets; every row that passes them is scanned. */
  readonly where: string
  /** The condition that may require scanning many rows for each one that passes. */
  readonly matches: string
}

/** The sort order: a column and then the ids, or only the ids, which give the order in which rows were created. */
export type SortedBy = {
  readonly column: string | null
  /** The SQL type of the column. */
  readonly type: 'bigint' | 'timestamptz'
  readonly isDescending: boolean
}

/** By creation time. */
export const byTime = (order: 'newest' | 'oldest'): SortedBy => ({
  ...{ column: null, type: 'bigint' },
  isDescending: order === 'newest',
})

/** By amount, the largest or the smallest first. */
export const byAmountIn = (column: string) => ({
  amount: { column, type: 'bigint', isDescending: false } as const,
  '-amount': { column, type: 'bigint', isDescending: true } as const,
})

/** The id of the row that reports that nothing was sorted. */
const noId = '00000000-0000-0000-0000-000000000000'

const inSpan = (id: string): string => `(:from is null or ${id} >= :from) and (:to is null or ${id} < :to)`

/**
 * The SQL of an order over columns: the order by clause, the key of a row, and the condition that a row comes after a
 * cursor.
 */
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
 * The text of a bounded scan: at most `:scanned` rows of each owner are scanned. If an owner has more, no row beyond
 * its last scanned one is returned, because rows of this owner might be missing before it: that row comes without an
 * owner.
 */
export const scanText = ({ owners, rows, owner, id, where, matches }: Scanned, by: SortedBy): string => {
  const value = by.column ?? `null::${by.type}`
  const looked = orderOf(by, value, id)
  const { orderBy } = orderOf(by, 'value', 'id')
  // In id order the rows of a span are adjacent; in any other order they are spread over the index.
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
 * The text that sorts all rows that meet the index's conditions, if there are fewer than `:scanned`. Otherwise one row
 * without an owner reports that nothing was sorted.
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

/** The text of a count that reads at most `:most` rows. */
const countText = ({ owners, rows, id, where, matches }: Scanned): string => `
    select (count(*) filter (where matches))::integer as matching, count(*)::integer as examined from (
      select scan.matches from ${owners} as owner cross join lateral (
        select (${matches}) as matches from ${rows}
        where ${where} and ${inSpan(id)}
        order by ${id} desc limit :most
      ) as scan limit :most
    ) as examined`

/** The queries of a list with a filter: scans by amount or creation time, scans by another value, and counts. */
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
