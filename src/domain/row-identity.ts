// Which fields of a row say which booking it is, and which only describe it (the table is in docs/domain.md §6.3). A row
// with the bank's own reference is the booking of that reference and its amount; this is about the others, and about a
// reference that changes from one file to the next.
import { letters, type StatementRow, withoutMidnight } from './statement.ts'

/** A day or time. A file that has times may write midnight where another one of the bank has bare days. */
const bookedOf = ({ booked }: StatementRow): string => withoutMidnight(booked)

/** The last digits of the payer's number, so that nobody can find the number from a hash of them. */
const lastDigits = ({ counterparty }: StatementRow): string => (counterparty.number ?? '').replace(/\D/g, '').slice(-4)

/** A text that is equal for a row each time it is exported: the day or time, the amount, and who paid for what. */
export const rowIdentity = (row: StatementRow, amount: bigint): string =>
  JSON.stringify([
    row.direction,
    row.kind,
    bookedOf(row),
    amount.toString(),
    lastDigits(row),
    letters(row.counterparty.name),
    letters(row.text),
    letters(row.number),
  ])

/**
 * A text that is equal for rows that may be one document, whatever describes it: the day or time, the amount, and the
 * number or, without one, the payer. `null` where neither a number nor a time tells it from others: there, the text does.
 */
export const rowLikeness = (row: StatementRow, amount: bigint): string | null => {
  const booked = bookedOf(row)
  const number = letters(row.number)
  // The digits of payers are compared by themselves: a file may have a phone in one text and the account in the next.
  const payer = number === '' ? lastDigits(row) : ''
  const name = row.counterparty.number === null ? letters(row.counterparty.name) : ''
  if (number === '' && !booked.includes('T')) return null
  return JSON.stringify([row.direction, row.kind, booked, amount.toString(), number, payer, name])
}
