/** How a list is sorted: by when its rows were made, or by their amounts, with `-` the largest first. */
export const listSorts = ['newest', 'oldest', 'amount', '-amount'] as const
/** One of `listSorts`. */
export type ListSort = (typeof listSorts)[number]

/** Whether a list is sorted by another value than the time at which its rows were made. */
export const isByValue = (sort: string): boolean => sort !== 'newest' && sort !== 'oldest'

/** A row of a sorted list: where the next page starts. Lists by the time at which rows were made need no value. */
export type Cursor = { readonly id: string; readonly value: bigint | null }

/** The page of a sorted list that is wanted: the rows after a cursor. */
export type ListPage<Sort extends string = ListSort> = {
  readonly sort: Sort
  readonly after: Cursor | null
  readonly limit: number
}

/** Most rows that a count looks at. */
export const mostCounted = 10_000

/** How many rows match; `isExact` is false where only the first `mostCounted` rows were looked at. */
export type Count = { readonly matching: number; readonly isExact: boolean }

/** What a query that looks at a bounded number of rows found: rows that match and, without an owner, where it stopped. */
export type ScanRow = Cursor & { readonly ownerId: string | null }

/** A page of matching rows by their keys, and where the next one starts. */
export type ScannedPage = {
  readonly keys: readonly { readonly ownerId: string; readonly id: string }[]
  readonly next: Cursor | null
  /** The last row that it looked at, where it stopped before the page was full. */
  readonly searchedTo: Cursor | null
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
export const scanLengths = (
  page: Pick<ListPage, 'limit'>,
  isFiltered: boolean,
  most: number,
  owners: number,
): readonly number[] => {
  if (isFiltered) return [Math.max(leastScanned, Math.ceil(most / Math.max(1, owners)))]
  const whole = page.limit + 1
  const few = Math.max(firstShare, Math.ceil((firstShare * whole) / Math.max(1, owners)))
  return few < whole ? [few, whole] : [whole]
}

/** The page that `scan` finds with one of these lengths: the first that fills it or reads all there is, else the last. */
export const scanPage = async (
  lengths: readonly number[],
  page: Pick<ListPage, 'limit'>,
  scan: (scanned: number) => Promise<readonly ScanRow[]>,
): Promise<ScannedPage> => {
  const [length, ...longer] = lengths
  if (length === undefined) throw new Error('a page was looked for without a length')
  const found = cutScan(await scan(length), page)
  return found.searchedTo === null || longer.length === 0 ? found : scanPage(longer, page, scan)
}

/** The page out of what a scan found, which is one matching row more than the page has where there are more. */
export const cutScan = (rows: readonly ScanRow[], { limit }: Pick<ListPage, 'limit'>): ScannedPage => {
  const found = rows.flatMap(({ ownerId, id, value }) => (ownerId === null ? [] : [{ ownerId, id, value }]))
  const keys = found.slice(0, limit)
  const toCursor = ({ id, value }: Cursor): Cursor => ({ id, value })
  const last = keys.at(-1)
  if (found.length > limit && last) return { keys, next: toCursor(last), searchedTo: null }
  const edge = rows.find(({ ownerId }) => ownerId === null)
  return { keys, next: edge ? toCursor(edge) : null, searchedTo: edge ? toCursor(edge) : null }
}

/** The page out of all rows that an index has left, sorted; `null` where these were too many to sort. */
export const cutSorted = (rows: readonly ScanRow[], page: Pick<ListPage, 'limit'>): ScannedPage | null =>
  rows.some(({ ownerId }) => ownerId === null) ? null : cutScan(rows, page)
