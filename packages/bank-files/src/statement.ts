/** Character sets of statements. */
export const statementCharsets = [
  'utf-8',
  'windows-1251',
  'ibm866',
  'iso-8859-1',
  'iso-8859-15',
  'utf-16le',
  'utf-16be',
] as const
export type StatementCharset = (typeof statementCharsets)[number]

/** Booked money, money that is not booked yet and may never be, or a booking that takes an earlier one back. */
export type RowKind = 'booked' | 'pending' | 'reversal'

/** A bank's booking, which files report as a sum or as the payments in it. */
export type Booking = {
  /** The bank's identifier; `null` if it gives none. */
  readonly reference: string | null
  /** Decimal text. */
  readonly amount: string
  /** How many payments it is the sum of; `null` if the file does not say. */
  readonly payments: number | null
}

/** The other side of a row: the payer of money in, or the payee of money out. */
export type Counterparty = {
  readonly name: string | null
  /** Number of an account, card or phone. */
  readonly number: string | null
  /** Identifiers and names of the bank. */
  readonly bank: readonly string[]
}

/** A row of a statement in any format. Texts are trimmed; absent ones are `null`. */
export type StatementRow = {
  /** The line where it begins in the file, from 1. */
  readonly line: number
  /** The account of the statement, as the file writes it; `null` if the file does not name it. */
  readonly account: string | null
  readonly direction: 'credit' | 'debit'
  readonly kind: RowKind
  /** Lower-case code; `null` if the file does not say. */
  readonly currency: string | null
  /** Decimal text above zero with a dot, such as `5000.37`. */
  readonly amount: string
  /** `2026-01-31`, or with a time of day, or also with an offset from UTC. */
  readonly booked: string
  /** Whether the file only says that it was booked by then, within a few days: such money waits for a person. */
  readonly isDayUnknown?: boolean
  /** Whether all rows of its file have this time of day and UTC offset: perhaps midnight at the account. */
  readonly isOneTime?: boolean
  /** The bank's own identifier of the booking. */
  readonly reference: string | null
  /**
   * Which of the bank's numbers the reference is; `null` without one. Different references of one kind are two
   * bookings.
   */
  readonly referenceKind: string | null
  /** The booking that the row is, or is part of. */
  readonly booking?: Booking
  /** A number not given by the bank: it distinguishes rows, but may recur. */
  readonly number: string | null
  /** A number that only counts rows, and so may begin again each day or in each file; absent if there is none. */
  readonly count?: string
  readonly counterparty: Counterparty
  readonly text: string | null
}

/** A file's balance of an account, for the rows since its last balance. */
export type StatementBalance = {
  readonly line: number
  readonly account: string | null
  readonly currency: string | null
  /** Signed decimal texts; `null` if the file does not say. */
  readonly opening: string | null
  readonly closing: string | null
  /** The first day that the file covers; absent if the file does not say. */
  readonly openedOn?: string | null
  /** `2026-01-31`, the day at whose end the account held `closing`; absent if the file does not say. */
  readonly closedOn?: string | null
  /** Sums of all rows in and out, if the file has them. */
  readonly credits: string | null
  readonly debits: string | null
}

/**
 * Why a row is only counted: the bank has not booked it and gives no date, it moves 0.00, or it is a line of text, such
 * as a footer.
 */
export type SkippedRow = 'pending' | 'zero' | 'notes'

/** Receives what the parsers read. `fault` notes a problem with one row; reading continues. */
export type StatementSink = {
  row(row: StatementRow): void
  skip(row: SkippedRow): void
  balance(balance: StatementBalance): void
  fault(line: number, reason: string): void
}

/** Parses a text that arrives in pieces, and gives rows and balances to its sink. */
export type StatementParser = { write(text: string): void; end(): void | Promise<void> }
