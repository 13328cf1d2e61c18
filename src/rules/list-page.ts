/** How a list is sorted: by the creation time of its rows, or by their amounts, with `-` the largest first. */
export const listSorts = ['newest', 'oldest', 'amount', '-amount'] as const
export type ListSort = (typeof listSorts)[number]

/** Whether a list is sorted by a value other than the creation time of its rows. */
export const isByValue = (sort: string): boolean => sort !== 'newest' && sort !== 'oldest'

/** A row of a sorted list after which the next page starts. Lists sorted by creation time need no value. */
export type Cursor = { readonly id: string; readonly value: bigint | null }

/** The requested page of a sorted list: the rows after a cursor. */
export type ListPage<Sort extends string = ListSort> = {
  readonly sort: Sort
  readonly after: Cursor | null
  readonly limit: number
}

/** Most rows that a count scans. */
export const mostCounted = 10_000

/** How many rows match; `isExact` is false if only the first `mostCounted` rows were scanned. */
export type Count = { readonly matching: number; readonly isExact: boolean }

/** A result of a bounded scan: a matching row or, without an owner, the row at which it stopped. */
export type ScanRow = Cursor & { readonly ownerId: string | null }

/** A page of matching rows by their keys, and where the next one starts. */
export type ScannedPage = {
  readonly keys: readonly { readonly ownerId: string; readonly id: string }[]
  readonly next: Cursor | null
  /** The last scanned row, if the scan stopped before the page was full. */
  readonly searchedTo: Cursor | null
}

/** Rows of each owner that a page may always scan; more would take too long with hundreds of owners. */
const leastScanned = 25

/** The first scan reads this multiple of an owner's even share of the page: most pages are spread over many owners. */
const firstShare = 4

/**
 * How many rows of each owner a page may scan: the first length and, if that does not fill the page, the next one. A
 * filter without an index scans a bounded number of rows, so that no list reads a whole table; without such a filter
 * the rows of the page are enough, even if one owner has all of them.
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

/** The page that `scan` finds with one of these lengths: the first that fills it or reads everything, else the last. */
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

/** The page from the rows of a scan, which returns one matching row more if there are more. */
export const cutScan = (rows: readonly ScanRow[], { limit }: Pick<ListPage, 'limit'>): ScannedPage => {
  const found = rows.flatMap(({ ownerId, id, value }) => (ownerId === null ? [] : [{ ownerId, id, value }]))
  const keys = found.slice(0, limit)
  const toCursor = ({ id, value }: Cursor): Cursor => ({ id, value })
  const last = keys.at(-1)
  if (found.length > limit && last) return { keys, next: toCursor(last), searchedTo: null }
  const edge = rows.find(({ ownerId }) => ownerId === null)
  return { keys, next: edge ? toCursor(edge) : null, searchedTo: edge ? toCursor(edge) : null }
}

/** The page from all sorted rows that an index has left; `null` if these were too many to sort. */
export const cutSorted = (rows: readonly ScanRow[], page: Pick<ListPage, 'limit'>): ScannedPage | null =>
  rows.some(({ ownerId }) => ownerId === null) ? null : cutScan(rows, page)
