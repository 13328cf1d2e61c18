import { bookedInstant, type StatementRow } from 'bank-files/pure'
import type { Requisite } from '../requisites/requisite.ts'
import { day, hour, type Instant } from '../time.ts'
import { currencyDecimals, parseDecimal } from '../values/currency.ts'
import type { RecordedRowKind } from './statement-import.ts'

export type RowMoney = { readonly amount: bigint; readonly bookedAt: Instant }

/** How far ahead of us the day of a bank may be, in another time zone. */
const maxAheadMs = 26 * hour

/** Whether the bank reports only the day on which it booked a row. */
export const isDay = ({ booked }: StatementRow): boolean => booked.length === 10

/** The amount of a row in minor units and when it was booked; the reason if the row does not fit its requisite. */
export const checkRow = (row: StatementRow, { currency, limits }: Requisite, now: Instant): RowMoney | string => {
  if (row.currency !== null && row.currency !== currency)
    return `The row is in ${row.currency}, but its requisite is in ${currency}: choose a requisite in ${row.currency}, or map the column with the amount in ${currency}.`
  const amount = parseDecimal(row.amount, currencyDecimals(currency))
  if (typeof amount !== 'bigint' || amount <= 0n)
    return `The amount ${row.amount} is ${amount === 'precision' ? `more exact than ${currency} allows` : 'too large'}: correct it, or ask the bank for a corrected file. In a table, another mark may come before the decimals (decimalMark in the mapping).`
  const bookedAt = bookedInstant(row.booked, limits.utcOffsetMinutes)
  if (bookedAt === undefined)
    return `There is no such date or time: ${row.booked}. Correct it, or ask the bank for a corrected file.`
  if (bookedAt - (isDay(row) ? day : 0) > now + maxAheadMs)
    return `The date ${row.booked} is in the future: correct it, or ask the bank for a corrected file. In a table, day and month may be the other way round (dateOrder in the mapping).`
  return { amount, bookedAt }
}

/** The booking that a row is a part of: its reference, amount in minor units, and number of payments. */
export const bookingOf = ({ kind, booking }: StatementRow, currency: string) => {
  const amount = kind === 'booked' && booking ? parseDecimal(booking.amount, currencyDecimals(currency)) : null
  const { reference, payments } = typeof amount === 'bigint' && booking ? booking : { reference: null, payments: null }
  const bookingAmount = typeof amount === 'bigint' ? amount : null
  return { bookingReference: reference, bookingAmount, bookingPayments: payments }
}

/** A reversal with money in returns our own money; one with money out takes back a payer's. */
export const recordedKind = ({ kind, direction }: StatementRow): RecordedRowKind => {
  if (kind === 'reversal') return direction === 'debit' ? 'reversal' : 'outgoing-reversal'
  return direction === 'debit' ? 'outgoing' : 'booked'
}
