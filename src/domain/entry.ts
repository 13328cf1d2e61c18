import type { Instant } from './time.ts'
import { sameBookingMs } from './transfer.ts'

/** A row of a booking, as one file tells it: of the sum, or of one of its parts. Amounts are minor units. */
export type EntryRow = {
  readonly fingerprint: string
  readonly amount: bigint
  readonly bookedAt: Instant
  readonly bankReference: string | null
}

/** What a booking is whose rows come in a file: what they say, the rows that told of it before, or a contradiction. */
export type EntryReading<T> = 'as-told' | { readonly repeats: readonly T[] } | { readonly contradicts: bigint }

/**
 * Decides what a booking is that other files may have told of as a sum, or as its parts: the form that came first stands,
 * and the later one repeats it. `reference` and `amount` are the booking's; `isCertain` as in `StatementEntry`.
 */
export const readEntryAgain = <T extends EntryRow & { readonly entryAmount: bigint | null }>(
  entry: { readonly reference: string; readonly amount: bigint; readonly isCertain: boolean },
  rows: readonly EntryRow[],
  before: readonly T[],
): EntryReading<T> => {
  const [first] = rows
  const near = before.filter((each) => first && Math.abs(each.bookedAt - first.bookedAt) <= sameBookingMs)
  const known = new Set(near.map((each) => each.fingerprint))
  if (near.length === 0 || rows.every((row) => known.has(row.fingerprint))) return 'as-told'
  const isSum = (each: EntryRow): boolean => each.bankReference === entry.reference
  const same = near.filter((each) => each.entryAmount === entry.amount)
  const sum = (told: readonly EntryRow[]): bigint => told.reduce((total, each) => total + each.amount, 0n)
  const isOtherForm = entry.isCertain
    ? rows.some(isSum) !== same.some(isSum) || rows.length !== same.length
    : rows.length !== same.length
  if (same.length > 0) return isOtherForm && sum(same) === entry.amount ? { repeats: same } : 'as-told'
  return entry.isCertain && rows.some(isSum) !== near.some(isSum) ? { contradicts: sum(near) } : 'as-told'
}
