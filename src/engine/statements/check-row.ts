import { fileChannel } from '../../rules/transfers/channel.ts'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import { maskSource } from '../../rules/values/masking.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { outgoingIdentity, rowIdentity, rowLikeness } from '../../rules/statements/row-identity.ts'
import type { RecordedRowKind } from '../../rules/statements/statement-import.ts'
import { bookedInstant, type StatementRow } from 'bank-files/pure'
import { day, hour, type Instant } from '../../rules/time.ts'
import { dedupeKey } from '../../rules/transfers/transfer.ts'
import { hashText } from '../../secrets/hashes.ts'

type Money = { readonly amount: bigint; readonly bookedAt: Instant }

/** How far ahead of us the day of a bank may be, in another time zone. */
const maxAheadMs = 26 * hour

/** Long enough that two rows of a requisite never collide by chance. */
const likenessLength = 22

const isDay = ({ booked }: StatementRow): boolean => booked.length === 10

/** The amount of a row in minor units and when it was booked; the reason if the row does not fit its requisite. */
export const checkRow = (row: StatementRow, { currency, limits }: Requisite, now: Instant): Money | string => {
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

const bookingOf = ({ kind, booking }: StatementRow, currency: string) => {
  const amount = kind === 'booked' && booking ? parseDecimal(booking.amount, currencyDecimals(currency)) : null
  const { reference, payments } = typeof amount === 'bigint' && booking ? booking : { reference: null, payments: null }
  const bookingAmount = typeof amount === 'bigint' ? amount : null
  return { bookingReference: reference, bookingAmount, bookingPayments: payments }
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

/** A row with its requisite and money, as it is stored; `chosen`: only the operator's choice for the file determines it. */
export const toCheckedRow = (
  row: StatementRow,
  { id: requisiteId, currency }: Requisite,
  money: Money,
  file: { readonly channel: string; readonly sourceId: string | null; readonly chosen: boolean },
) => ({
  ...{ ...money, row, line: row.line, kind: recordedKind(row), requisiteId, currency, chosen: file.chosen },
  bookedOn: isDay(row) ? row.booked : null,
  fingerprint: fingerprintOf(row, money),
  bankReference: row.reference,
  referenceKind: row.referenceKind,
  ...bookingOf(row, currency),
  channel: fileChannel(file.channel, isDay(row), file.sourceId),
  likeness: rowLikeness(row, money.amount, (text) => hashText(text).slice(0, likenessLength)),
  senderMasked: maskSource(row.counterparty.number ?? ''),
})

export type CheckedRow = ReturnType<typeof toCheckedRow>
