// Which fields of a row identify its booking, and which only describe it (the table is in docs/domain.md §6.3). A row
// with the bank's own reference is the booking of that reference and its amount; this file is about the others, and
// about rows that two files describe differently.
import { letters, present, type StatementRow, withoutMidnight } from 'bank-files/pure'
import type { Instant } from '../time.ts'

/** A day or time. A file that has times may write midnight where another one of the bank has bare days. */
const bookedOf = ({ booked }: StatementRow): string => withoutMidnight(booked)

/** Only the last digits of the payer's number, so that nobody can recover the number from a hash. */
const lastDigits = (number: string | null): string => (number ?? '').replace(/\D/g, '').slice(-4)

/** A text that is the same for every report of a booking under a reference, however files format its payer and text. */
export const referredIdentity = (
  bookedAt: Instant,
  payer: { readonly number: string | null; readonly name: string | null },
  text: string | null,
): string => JSON.stringify([bookedAt, lastDigits(payer.number), letters(payer.name), letters(text)])

/** A text that is the same each time a row is exported: the day or time, the amount, and who paid for what. */
export const rowIdentity = (row: StatementRow, amount: bigint): string =>
  JSON.stringify([
    row.direction,
    row.kind,
    bookedOf(row),
    amount.toString(),
    lastDigits(row.counterparty.number),
    letters(row.counterparty.name),
    letters(row.text),
    letters(present(row.number, row.count ?? null).join(' ')),
  ])

const hasTime = (row: StatementRow): boolean => bookedOf(row).includes('T')

/** As `rowIdentity`, for outgoing money: a number or a time and the payee identify it whatever its text says. */
export const outgoingIdentity = (row: StatementRow, amount: bigint): string => {
  const number = letters(row.number)
  if (number === '' && !hasTime(row)) return rowIdentity(row, amount)
  const name = row.counterparty.number === null ? letters(row.counterparty.name) : ''
  const digits = number === '' ? lastDigits(row.counterparty.number) : ''
  return JSON.stringify([row.direction, row.kind, bookedOf(row), amount.toString(), number, digits, name])
}

const dayMark = 'day:'
const numberMark = '#'
/** Long enough to distinguish a few numbers of one day, amount and payer. */
const numberLength = 8

/**
 * A text that is equal for rows that may be one booking, whatever else describes it: its number, the day or time and
 * the amount. Payers are compared separately, because files shorten and mask them (`mayBeOnePayer`). A number that only
 * counts distinguishes money in of other texts; a row of money out that was counted again has only its day. `hash`
 * shortens the text.
 */
export const rowLikeness = (row: StatementRow, amount: bigint, hash: (text: string) => string): string => {
  const own = letters(row.number)
  const isMoneyIn = (row.direction === 'credit') === (row.kind !== 'reversal')
  const number = own === '' && isMoneyIn ? letters(row.count ?? null) : own
  const key = hash(JSON.stringify([row.direction, row.kind, bookedOf(row), amount.toString(), number]))
  const likeness = own === '' ? key : `${key}${numberMark}${hash(own).slice(0, numberLength)}`
  return number !== '' || hasTime(row) ? likeness : `${dayMark}${likeness}`
}

const numberIn = (likeness: string): string => likeness.split(numberMark)[1] ?? ''

/** Whether two likenesses do not have two different numbers, apart from those that each file may count again. */
export const mayBeOneNumber = (one: string, other: string): boolean =>
  numberIn(one) === '' || numberIn(other) === '' || numberIn(one) === numberIn(other)

/** Whether a likeness contains only the day and the amount: then only counts distinguish known money from new. */
export const isLikenessOfDay = (likeness: string): boolean => likeness.startsWith(dayMark)
