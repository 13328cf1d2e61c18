import type { ListOrder } from '../domain/scan.ts'
import { integer, nullable, uuid } from './query.ts'

/** Parameters of a bounded scan, next to those of its filter. */
export const scanParameters = {
  after: nullable(uuid),
  from: nullable(uuid),
  to: nullable(uuid),
  scanned: integer,
  limit: integer,
}

/** Rows of a bounded scan; see `ScanRow`. */
export const scanRow = { ownerId: nullable(uuid), id: uuid }

/** Parameters of a count, next to those of its filter. */
export const countParameters = { from: nullable(uuid), to: nullable(uuid), most: integer }

/** The row of a count. */
export const countRow = { matching: integer, examined: integer }

/** What a scan reads: rows of owners one after the other, so that a primary key of owner and id gives their order. */
export type Scanned = {
  /** A subquery with the `id` of those whose rows are wanted. */
  readonly owners: string
  /** Where the rows of `owner.id` are, as after `from`. */
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

const inSpan = (id: string): string => `(:from is null or ${id} >= :from) and (:to is null or ${id} < :to)`

/**
 * The text of a bounded scan: at most `:scanned` rows of each owner are looked at. Where an owner has more, no row beyond
 * its last one is returned, because rows of this owner might be missing before it: that id comes as a row without an owner.
 */
export const scanText = ({ owners, rows, owner, id, where, matches }: Scanned, order: ListOrder): string => {
  const [direction, beyond, within] = order === 'newest' ? ['desc', '<', '>='] : ['asc', '>', '<=']
  return `with scanned as (
      select scan.owner_id, scan.id, scan.matches, scan.position from ${owners} as owner cross join lateral (
        select ${owner} as owner_id, ${id} as id, (${matches}) as matches,
          row_number() over (order by ${id} ${direction}) as position
        from ${rows}
        where ${where} and (:after is null or ${id} ${beyond} :after) and ${inSpan(id)}
        order by ${id} ${direction} limit :scanned
      ) as scan
    ), edge as (
      select id from scanned where position = :scanned order by id ${direction} limit 1
    )
    (select owner_id, id from scanned
      where matches and not exists (select from edge where not scanned.id ${within} edge.id)
      order by id ${direction} limit :limit)
    union all select null, id from edge`
}

/** The text of a count that looks at no more than `:most` rows. */
export const countText = ({ owners, rows, id, where, matches }: Scanned): string => `
    select (count(*) filter (where matches))::integer as matching, count(*)::integer as examined from (
      select scan.matches from ${owners} as owner cross join lateral (
        select (${matches}) as matches from ${rows}
        where ${where} and ${inSpan(id)}
        order by ${id} desc limit :most
      ) as scan limit :most
    ) as examined`
