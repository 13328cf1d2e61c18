import { Refusal } from '../refusal.ts'
import { day, type Instant, minute } from '../time.ts'

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

/** Why a file is not imported, for a person to read. */
export type LineFault = { readonly line: number; readonly reason: string }

/** Receives what the parsers read. `fault` notes a problem with one row; reading continues. */
export type StatementSink = {
  row(row: StatementRow): void
  skip(row: SkippedRow): void
  balance(balance: StatementBalance): void
  fault(line: number, reason: string): void
}

/** Parses a text that arrives in pieces, and gives rows and balances to its sink. */
export type StatementParser = { write(text: string): void; end(): void | Promise<void> }

/** Longest stored text of a row, in characters. */
const maxTextLength = 1000

const toError = ({ line, reason }: LineFault) => ({
  field: `line ${line}`,
  code: 'statement_refused',
  message: reason,
})

/** The refusal of a whole file with its faults; the first one is in the message. */
export const refuseStatement = (faults: readonly LineFault[]): Refusal => {
  const [first] = faults
  const others = faults.length - 1
  const more = others > 0 ? ` There ${others === 1 ? 'is 1 more fault' : `are ${others} more faults`}.` : ''
  const text = first ? `Line ${first.line}: ${first.reason}${more}` : 'The file cannot be read.'
  return new Refusal('statement_refused', `${text} Nothing was imported.`, { errors: faults.map(toError) })
}

/** The refusal of a file because of one line. */
export const refuseLine = (line: number, reason: string): Refusal => refuseStatement([{ line, reason }])

/** The faults of a refusal that `refuseStatement` made. */
export const faultsOf = (refusal: Refusal): LineFault[] =>
  (refusal.details.errors ?? []).map(({ field, message }) => ({ line: Number(field.slice(5)), reason: message }))

/** An account number normalised for look-ups: letters and digits only, so `DE12 3456` is `DE123456`. */
export const plainAccount = (account: string): string => account.toUpperCase().replace(/[^0-9A-Z]/g, '')

/** The spellings of an account number to look up: whole, and without the bank code before a slash. */
export const accountSpellings = (account: string): string[] => {
  const last = account.split('/').at(-1) ?? ''
  return [...new Set([plainAccount(account), plainAccount(last)])].filter((each) => each !== '')
}

/** A text with single spaces, trimmed, and cut at `maxTextLength`; `null` if nothing is left. */
export const tidyText = (text: string | undefined | null): string | null => {
  const tidy = (text ?? '')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxTextLength)
    .toWellFormed()
  return tidy === '' ? null : tidy
}

/** Whether this day exists in this century. */
export const isDate = (year: number, month: number, dayOfMonth: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth))
  return year >= 2000 && year < 2100 && date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth
}

const bookedPattern = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

const offsetOf = (zone: string): number => {
  if (zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return zone.startsWith('-') ? -minutes : minutes
}

/**
 * When a row was booked, in the time zone of its account unless it has its own. A bare date becomes the last moment of
 * its day; the whole day may be meant. `undefined` if there is no such time.
 */
export const bookedInstant = (booked: string, utcOffsetMinutes: number): Instant | undefined => {
  const [, ...parts] = bookedPattern.exec(booked) ?? []
  const [year = 0, month = 0, dayOfMonth = 0, hours, minutes = 0, seconds = 0] = parts
    .slice(0, 6)
    .map((part) => (part === undefined ? undefined : Number(part)))
  if (!isDate(year, month, dayOfMonth)) return undefined
  const zone = parts[6]
  const midnight = Date.UTC(year, month - 1, dayOfMonth) - (zone ? offsetOf(zone) : utcOffsetMinutes) * minute
  if (hours === undefined) return midnight + day - 1
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000
}

const mobile = /(?<!\d)(?:\+?7|8)[ (-]{0,2}(9\d\d)[ )-]{0,2}(\d{3})[ -]?(\d\d)[ -]?(\d\d)(?!\d)/g

/**
 * The Russian mobile number in a text, where banks put that of an SBP payer; `null` if there is none or more than one.
 */
export const findPhone = (text: string | null): string | null => {
  const found = new Set((text ?? '').matchAll(mobile).map((match) => `7${match.slice(1).join('')}`))
  return found.size === 1 ? ([...found][0] ?? null) : null
}

/** The non-null texts. */
export const present = (...texts: readonly (string | null)[]): string[] => texts.filter((text) => text !== null)

const bankName = (name: string): string =>
  letters(name.replace(/(?<!\p{L})(?:ПАО|АО|ООО|ЗАО|ОАО|НКО|JSC|PJSC|LLC)(?!\p{L})/giu, ''))

/** The code of the bank with one of these identifiers or names; `undefined` if it is unknown. */
export const findBank = (
  counterpartyBank: readonly string[],
  banks: Iterable<{
    readonly code: string
    readonly name: string
    readonly bic: string | null
    readonly sbpMemberId: string | null
  }>,
): string | undefined => {
  if (counterpartyBank.length === 0) return undefined
  const identifiers = new Set(counterpartyBank.map(plainAccount))
  const names = new Set(counterpartyBank.map(bankName).filter((name) => name !== ''))
  let named: string | undefined
  for (const { code, name, bic, sbpMemberId } of banks) {
    if ((bic !== null && identifiers.has(bic)) || (sbpMemberId !== null && identifiers.has(sbpMemberId))) return code
    if (names.has(bankName(name))) named ??= code
  }
  return named
}

/**
 * The row with only its day, if its file has one time of day for all rows and that is midnight in the time zone of its
 * account.
 */
export const withDayAtAccount = (row: StatementRow, utcOffsetMinutes: number): StatementRow => {
  const at = row.isOneTime === true ? bookedInstant(row.booked, utcOffsetMinutes) : undefined
  if (at === undefined) return row
  const local = at + utcOffsetMinutes * minute
  return local % day === 0 ? { ...row, booked: new Date(local).toISOString().slice(0, 10) } : row
}

/** The text of a booking time without midnight, which banks write if they have no time of day. */
export const withoutMidnight = (booked: string): string =>
  booked.replace(/T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/, '')

/** The letters and digits of a text in lower case: the same for all spellings of a text. */
export const letters = (text: string | null): string => (text ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Two texts about one row, of which one may repeat the other. */
export const joinTexts = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other
  if (letters(one).includes(letters(other))) return one
  return letters(other).includes(letters(one)) ? other : tidyText(`${one} ${other}`)
}
