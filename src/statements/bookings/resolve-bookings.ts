import type { Queryable } from '../../database/database.ts'
import { type BookingRow, readBooking } from '../../domain/booking.ts'
import type { LineFault } from '../../domain/statement.ts'
import type { RecordedRowKind } from '../../domain/statement-import.ts'
import { listBookingRows } from './store.ts'

/** A row of a file with the booking that it is or is a part of; amounts are minor units. */
export type BookedRow = BookingRow & {
  readonly line: number
  /** Money in and money out are two bookings, whatever their reference. */
  readonly kind: RecordedRowKind
  readonly requisiteId: string
  readonly referenceKind: string | null
  readonly booking: { readonly reference: string; readonly amount: bigint; readonly isCertain: boolean } | null
}

const keyOf = (requisiteId: string, kind: RecordedRowKind, reference: string | null): string =>
  `${requisiteId} ${kind} ${reference}`

/**
 * Replaces the rows of bookings that other files have reported in another form, as a sum or in parts, by the rows there,
 * which are already known. All rows of a booking must be among `rows`. A booking that contradicts the other files is a
 * fault.
 */
export const resolveBookings = async <T extends BookedRow>(
  sql: Queryable,
  rows: readonly T[],
): Promise<{ readonly rows: readonly T[]; readonly faults: readonly LineFault[] }> => {
  const bookings = Map.groupBy(
    rows,
    ({ requisiteId, kind, booking }) => booking && keyOf(requisiteId, kind, booking.reference),
  )
  const wanted = [...bookings.values()].flatMap(([first]) =>
    first?.booking ? [{ requisiteId: first.requisiteId, reference: first.booking.reference }] : [],
  )
  if (wanted.length === 0) return { rows, faults: [] }
  const found = await sql.query(listBookingRows, { rows: wanted })
  const before = Map.groupBy(found, (each) => keyOf(each.requisiteId, each.kind, each.bookingReference))
  const faults: LineFault[] = []
  const replaced = new Map<T, T[]>()
  for (const [key, own] of bookings) {
    const known = key === null ? undefined : before.get(key)
    if (!known) continue
    // A bank may give several bookings one reference; their amounts distinguish them.
    for (const parts of Map.groupBy(own, (each) => each.booking?.amount).values()) {
      const [first] = parts
      if (!first?.booking) continue
      const reading = readBooking(first.booking, parts, known)
      if (reading === 'as-reported') continue
      if (reading === 'contradictory') {
        const reason = `The booking ${first.booking.reference} was reported before in another form, as a sum or in parts, and with another amount.`
        faults.push({ line: first.line, reason })
        continue
      }
      for (const part of parts) replaced.set(part, [])
      replaced.set(
        first,
        reading.alreadyKnown.map(({ amount, fingerprint, bankReference, referenceKind }) => ({
          ...first,
          ...{ amount, fingerprint, bankReference, referenceKind },
        })),
      )
    }
  }
  return { rows: rows.flatMap((row) => replaced.get(row) ?? [row]), faults }
}
