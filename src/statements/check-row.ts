import type { Queryable } from '../database/database.ts'
import { type BookingRow, readBooking } from '../domain/booking.ts'
import { fileChannel } from '../domain/channel.ts'
import { currencyDecimals, parseDecimal } from '../domain/currency.ts'
import { maskSource } from '../domain/masking.ts'
import type { Requisite } from '../domain/requisite.ts'
import { outgoingIdentity, rowIdentity, rowLikeness } from '../domain/row-identity.ts'
import type { RecordedRowKind } from '../domain/statement-import.ts'
import { type Booking, bookedInstant, type LineFault, type StatementRow } from '../domain/statement.ts'
import { day, hour, type Instant } from '../domain/time.ts'
import { dedupeKey } from '../domain/transfer.ts'
import { hashText } from '../secrets/hashes.ts'
import { listBookingRows } from './duplicates/store.ts'

/** A row that moves money, with its requisite. */
export type CheckedRow = BookedRow & {
  readonly row: StatementRow
  readonly kind: RecordedRowKind
  readonly currency: string
  /** The day of a row that has no time. */
  readonly bookedOn: string | null
  /** Who reports it, and how: two channels may report the same money. */
  readonly channel: string
  /** Whether only the operator's choice for the file determines its requisite. */
  readonly chosen: boolean
  readonly senderMasked: string
  /** As `rowLikeness`. */
  readonly likeness: string
}

type Money = { readonly amount: bigint; readonly bookedAt: Instant }

/** How far ahead of us the day of a bank may be, in another time zone. */
const maxAheadMs = 26 * hour

/** Long enough that two rows of a requisite never collide by chance. */
const likenessLength = 22

const isDay = ({ booked }: StatementRow): boolean => booked.length === 10

/**
 * The amount of a row in minor units and when it was booked; the reason as a text if the row does not fit its
 * requisite.
 */
export const checkRow = (row: StatementRow, { currency, limits }: Requisite, now: Instant): Money | string => {
  if (row.currency !== null && row.currency !== currency)
    return `The row is in ${row.currency}, but its requisite is in ${currency}: choose a requisite in ${row.currency}, or map the column with the amount in ${currency}.`
  const amount = parseDecimal(row.amount, currencyDecimals(currency))
  if (typeof amount !== 'bigint' || amount <= 0n)
    return `The amount ${row.amount} is ${amount === 'precision' ? `more exact than ${currency} is` : 'too large'}: correct it. In a table another mark may begin the decimals (decimalMark in the mapping).`
  const bookedAt = bookedInstant(row.booked, limits.utcOffsetMinutes)
  if (bookedAt === undefined) return `There is no such date or time: ${row.booked}. Correct the row.`
  if (bookedAt - (isDay(row) ? day : 0) > now + maxAheadMs)
    return `The date ${row.booked} is in the future: correct it. In a table day and month may be the other way round (dateOrder in the mapping).`
  return { amount, bookedAt }
}

const bookingOf = ({ kind, booking }: StatementRow, currency: string): BookedRow['booking'] => {
  if (kind !== 'booked' || !booking) return null
  const amount = parseDecimal(booking.amount, currencyDecimals(currency))
  return typeof amount === 'bigint' ? { ...booking, amount } : null
}

/** A reversal with money in returns our own money; one with money out takes back a payer's. */
const recordedKind = ({ kind, direction }: StatementRow): RecordedRowKind => {
  if (kind === 'reversal') return direction === 'debit' ? 'reversal' : 'outgoing-reversal'
  return direction === 'debit' ? 'outgoing' : 'booked'
}

/** The same for rows that are the same or equal bookings; each kind except booked has its own fingerprints. */
const fingerprintOf = (row: StatementRow, { amount, bookedAt }: Money): string => {
  const kind = recordedKind(row)
  const isMoneyIn = kind === 'booked' || kind === 'reversal'
  const identity = isMoneyIn ? rowIdentity(row, amount) : outgoingIdentity(row, amount)
  const key =
    row.reference === null
      ? `row:${hashText(identity)}`
      : dedupeKey({ amount, bookedAt, sender: null, bankReference: row.reference }, 0)
  if (kind === 'booked') return key
  // Payers choose their payment numbers: the same number on another day is another payment.
  return isMoneyIn ? `reversal:${key}` : `${kind}:${row.booked.slice(0, 10)}:${key}`
}

/** A row with its requisite and money, as it is stored. */
export const toCheckedRow = (
  row: StatementRow,
  requisite: Requisite,
  money: Money,
  file: { readonly channel: string; readonly sourceId: string | null; readonly chosen: boolean },
): CheckedRow => ({
  ...money,
  row,
  line: row.line,
  kind: recordedKind(row),
  requisiteId: requisite.id,
  currency: requisite.currency,
  bookedOn: isDay(row) ? row.booked : null,
  fingerprint: fingerprintOf(row, money),
  bankReference: row.reference,
  referenceKind: row.referenceKind,
  booking: bookingOf(row, requisite.currency),
  channel: fileChannel(file.channel, isDay(row), file.sourceId),
  likeness: rowLikeness(row, money.amount, (text) => hashText(text).slice(0, likenessLength)),
  chosen: file.chosen,
  senderMasked: maskSource(row.counterparty.number ?? ''),
})

/** A row of a file with the booking that it is, or is a part of; amounts are minor units. */
type BookedRow = BookingRow & {
  readonly line: number
  /** Money in and money out are two bookings, whatever their references. */
  readonly kind: RecordedRowKind
  readonly requisiteId: string
  readonly referenceKind: string | null
  readonly booking: (Omit<Booking, 'amount'> & { readonly amount: bigint }) | null
}

const keyOf = (requisiteId: string, kind: RecordedRowKind, reference: string | null): string =>
  `${requisiteId} ${kind} ${reference}`

/**
 * If other files have reported a booking in another form, as a sum or in parts, replaces its rows by theirs, which are
 * already known. All rows of a booking must be among `rows`. A booking that contradicts the other files is a fault.
 */
export const resolveBookings = async <T extends BookedRow>(
  sql: Queryable,
  rows: readonly T[],
): Promise<{ readonly rows: readonly T[]; readonly faults: readonly LineFault[] }> => {
  const bookings = Map.groupBy(
    rows,
    ({ requisiteId, kind, booking }) => booking?.reference && keyOf(requisiteId, kind, booking.reference),
  )
  const wanted = [...bookings.values()].flatMap(([first]) =>
    first?.booking?.reference ? [{ requisiteId: first.requisiteId, reference: first.booking.reference }] : [],
  )
  if (wanted.length === 0) return { rows, faults: [] }
  const found = await sql.query(listBookingRows, { rows: wanted })
  const before = Map.groupBy(found, (each) => keyOf(each.requisiteId, each.kind, each.bookingReference))
  const faults: LineFault[] = []
  const replaced = new Map<T, T[]>()
  for (const [key, own] of bookings) {
    const known = key ? before.get(key) : undefined
    if (!known) continue
    // A bank may give several bookings one reference; then their amounts distinguish them.
    for (const parts of Map.groupBy(own, (each) => each.booking?.amount).values()) {
      const [first] = parts
      if (!first?.booking) continue
      const reading = readBooking(first.booking, parts, known)
      if (reading === 'as-reported') continue
      if (reading === 'contradictory') {
        const reason = `The booking ${first.booking.reference} was reported before in another form, as a sum or in parts, and with another amount: ask the bank which one is right.`
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
