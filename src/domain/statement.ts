import { Refusal } from './refusal.ts'
import { day, type Instant, minute } from './time.ts'

/** Formats of bank statements that are read. */
export const statementFormats = ['camt', '1c', 'mt940', 'csv'] as const
/** One of `statementFormats`. */
export type StatementFormat = (typeof statementFormats)[number]

/** Character sets in which statements come. */
export const statementCharsets = ['utf-8', 'windows-1251', 'ibm866', 'iso-8859-1', 'utf-16le', 'utf-16be'] as const
/** One of `statementCharsets`. */
export type StatementCharset = (typeof statementCharsets)[number]

/**
 * What a row of a statement is: booked money, money that is not booked yet and may never be, or a booking that takes an
 * earlier one back.
 */
export type RowKind = 'booked' | 'pending' | 'reversal'

/** A booking of a bank that files tell as a sum or as the payments that it is made of. */
export type StatementEntry = {
  /** The bank's name of it. */
  readonly reference: string
  /** Decimal text. */
  readonly amount: string
  /** Whether the name is the bank's own for it: two amounts under it contradict each other. */
  readonly isCertain: boolean
}

/** A row of a statement as a file tells it, in whatever format. Texts are trimmed, absent ones are `null`. */
export type StatementRow = {
  /** Where it begins in the file, from 1. */
  readonly line: number
  /** The account that the statement is of, as the file writes it; `null` where the file does not tell. */
  readonly account: string | null
  readonly direction: 'credit' | 'debit'
  readonly kind: RowKind
  /** Lower-case code; `null` where the file does not tell. */
  readonly currency: string | null
  /** Decimal text above zero with a dot, such as `5000.37`. */
  readonly amount: string
  /** `2026-01-31`, or with a time of day, or with that and an offset from UTC. */
  readonly booked: string
  /** The bank's own identifier of the booking. */
  readonly reference: string | null
  /** Which of the bank's numbers the reference is, where a format has several. */
  readonly referenceKind?: string
  /** The booking that the row is, or is a part of: banks tell it as a sum in one file and in parts in another one. */
  readonly entry?: StatementEntry
  /** A number that somebody else than the bank gave: it tells rows apart, but it may repeat. */
  readonly number: string | null
  readonly payerName: string | null
  /** Account, card or phone number of the payer. */
  readonly payerNumber: string | null
  /** What the file tells of the payer's bank: its identifier, its name, or both. */
  readonly payerBank: readonly string[]
  readonly text: string | null
}

/** What a file tells of the balance of an account over the rows since the last such telling. */
export type StatementBalance = {
  readonly line: number
  readonly account: string | null
  readonly currency: string | null
  /** Signed decimal texts; `null` where the file does not tell. */
  readonly opening: string | null
  readonly closing: string | null
  /** `2026-01-31`, the day at whose end the account held `closing`; absent where the file does not tell. */
  readonly closedOn?: string | null
  /** Sums of all rows in and out, where the file tells them by themselves. */
  readonly credits: string | null
  readonly debits: string | null
}

/** Something in a file that keeps it from being imported, for a person to understand. */
export type LineFault = { readonly line: number; readonly reason: string }

/** Where the parsers put what they read. `fault` notes what is wrong with one row and lets the reading go on. */
export type StatementSink = {
  row(row: StatementRow): void
  balance(balance: StatementBalance): void
  fault(line: number, reason: string): void
}

/** Reads a text that comes in pieces; what it understands goes to its sink. */
export type StatementParser = { write(text: string): void; end(): void | Promise<void> }

/** Longest text of a row that is kept, in characters. */
export const maxTextLength = 1000

const toError = ({ line, reason }: LineFault) => ({
  field: `line ${line}`,
  code: 'statement_refused',
  message: reason,
})

/** The refusal of a whole file with its faults, the first of them in the message. */
export const refuseStatement = (faults: readonly LineFault[]): Refusal => {
  const [first] = faults
  const others = faults.length - 1
  const more = others > 0 ? ` There ${others === 1 ? 'is 1 more fault' : `are ${others} more faults`}.` : ''
  const text = first ? `Line ${first.line}: ${first.reason}${more}` : 'The file cannot be read.'
  return new Refusal('statement_refused', `${text} Nothing was imported.`, { errors: faults.map(toError) })
}

/** The refusal of a file at one line. */
export const refuseLine = (line: number, reason: string): Refusal => refuseStatement([{ line, reason }])

/** The faults of a refusal that `refuseStatement` made. */
export const faultsOf = (refusal: Refusal): LineFault[] =>
  (refusal.details.errors ?? []).map(({ field, message }) => ({ line: Number(field.slice(5)), reason: message }))

/** An account number as it is looked up: letters and digits only, so that `DE12 3456` is `DE123456`. */
export const plainAccount = (account: string): string => account.toUpperCase().replace(/[^0-9A-Z]/g, '')

/** The spellings by which the account of a statement may be known: whole, and without the bank code before a slash. */
export const accountSpellings = (account: string): string[] => {
  const last = account.split('/').at(-1) ?? ''
  return [...new Set([plainAccount(account), plainAccount(last)])].filter((each) => each !== '')
}

/** A text without spaces at its ends and with single ones inside; `null` when nothing is left. */
export const tidyText = (text: string | undefined | null): string | null => {
  const tidy = (text ?? '')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxTextLength)
    .toWellFormed()
  return tidy === '' ? null : tidy
}

/** The year, month and day of a calendar date, or `undefined` where there is no such day. */
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
 * When a row was booked, in the zone of its account unless it tells its own. Of a bare date only the day is known: the
 * last moment of it is taken, so that money is never taken for earlier than it was. `undefined` where there is no such
 * time.
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

/** The Russian mobile number in a text, as banks write that of an SBP payer; `null` where there is none or several. */
export const findPhone = (text: string | null): string | null => {
  const found = new Set((text ?? '').matchAll(mobile).map((match) => `7${match.slice(1).join('')}`))
  return found.size === 1 ? ([...found][0] ?? null) : null
}

/** The texts of a row that a file tells at all. */
export const told = (...texts: readonly (string | null)[]): string[] => texts.filter((text) => text !== null)

const bankName = (name: string): string =>
  letters(name.replace(/(?<!\p{L})(?:ПАО|АО|ООО|ЗАО|ОАО|НКО|JSC|PJSC|LLC)(?!\p{L})/giu, ''))

/** The code of the bank that a statement tells by its identifier or its name; `undefined` where it is none of these. */
export const findBank = (
  toldBank: readonly string[],
  banks: Iterable<{
    readonly code: string
    readonly name: string
    readonly bic: string | null
    readonly sbpMemberId: string | null
  }>,
): string | undefined => {
  if (toldBank.length === 0) return undefined
  const identifiers = new Set(toldBank.map(plainAccount))
  const names = new Set(toldBank.map(bankName).filter((name) => name !== ''))
  let named: string | undefined
  for (const { code, name, bic, sbpMemberId } of banks) {
    if ((bic !== null && identifiers.has(bic)) || (sbpMemberId !== null && identifiers.has(sbpMemberId))) return code
    if (names.has(bankName(name))) named ??= code
  }
  return named
}

const letters = (text: string | null): string => (text ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/**
 * Text that is equal for one booking however often it is exported: the day or time, the amount and who paid for what.
 * Of the payer's number only the last digits count, so that nobody can find the number from a hash of this.
 */
export const rowIdentity = (row: StatementRow, amount: bigint): string =>
  JSON.stringify([
    row.direction,
    row.kind,
    row.booked,
    amount.toString(),
    (row.payerNumber ?? '').replace(/\D/g, '').slice(-4),
    letters(row.payerName),
    letters(row.text),
    letters(row.number),
  ])
