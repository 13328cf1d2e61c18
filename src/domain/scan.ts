import type { Instant } from './time.ts'
import { instantOfId } from './uuid-bounds.ts'

/** The orders of a list: by when its rows were made. */
export const listOrders = ['newest', 'oldest'] as const
/** One of `listOrders`. */
export type ListOrder = (typeof listOrders)[number]

/** The page of a list that is wanted: the rows after the cursor, in an order. */
export type ListPage = { readonly order: ListOrder; readonly after: string | null; readonly limit: number }

/** Most rows that a count looks at. */
export const mostCounted = 10_000

/** How many rows match; `isExact` is false where only the first `mostCounted` rows were looked at. */
export type Count = { readonly matching: number; readonly isExact: boolean }

/** What a query that looks at a bounded number of rows found: rows that match and, without an owner, where it stopped. */
export type ScanRow = { readonly ownerId: string | null; readonly id: string }

/** A page of matching rows by their keys, and where the next one starts. */
export type ScannedPage = {
  readonly keys: readonly { readonly ownerId: string; readonly id: string }[]
  readonly nextCursor: string | null
  /** When the last row was made that it looked at, where it stopped before the page was full. */
  readonly searchedTo: Instant | null
}

/** Rows that a page may look at of each owner, however many there are: with hundreds of them more would take too long. */
const leastScanned = 25

/** Of how many rows, by their owners, those of a page are looked for first: most pages are spread over many owners. */
const firstShare = 4

/**
 * How many rows of each owner a page may look at: as many as the first length says, and where that does not fill the page
 * as the next one does. A filter without an index looks at a bounded number of rows, so that no list reads a table; without
 * such a filter the rows of the page are enough, even where one owner has all of them.
 */
export const scanLengths = (page: ListPage, isFiltered: boolean, most: number, owners: number): readonly number[] => {
  if (isFiltered) return [Math.max(leastScanned, Math.ceil(most / Math.max(1, owners)))]
  const whole = page.limit + 1
  const few = Math.max(firstShare, Math.ceil((firstShare * whole) / Math.max(1, owners)))
  return few < whole ? [few, whole] : [whole]
}

/** The page that `scan` finds with one of these lengths: the first that fills it or reads all there is, else the last. */
export const scanPage = async (
  lengths: readonly number[],
  page: ListPage,
  scan: (scanned: number) => Promise<readonly ScanRow[]>,
): Promise<ScannedPage> => {
  const [length, ...longer] = lengths
  if (length === undefined) throw new Error('a page was looked for without a length')
  const found = cutScan(await scan(length), page)
  return found.searchedTo === null || longer.length === 0 ? found : scanPage(longer, page, scan)
}

/** The page out of what a scan found, which is one matching row more than the page has where there are more. */
export const cutScan = (rows: readonly ScanRow[], { limit }: ListPage): ScannedPage => {
  const found = rows.flatMap(({ ownerId, id }) => (ownerId === null ? [] : [{ ownerId, id }]))
  const keys = found.slice(0, limit)
  if (found.length > limit) return { keys, nextCursor: keys.at(-1)?.id ?? null, searchedTo: null }
  const edge = rows.find(({ ownerId }) => ownerId === null)
  return edge
    ? { keys, nextCursor: edge.id, searchedTo: instantOfId(edge.id) }
    : { keys, nextCursor: null, searchedTo: null }
}
