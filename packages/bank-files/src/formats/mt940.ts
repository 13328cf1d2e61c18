import { readCurrency } from '../currency.ts'
import { findPhone, joinTexts, present, tidyText } from '../texts.ts'
import { FileFault } from '../file-fault.ts'
import type { SkippedRow, StatementParser, StatementRow, StatementSink } from '../statement.ts'
import type { TextFormat } from '../format.ts'
import { daysAround, EntryDays, isoDay, type Period, possibleDays, type UndatedRow } from './entry-days.ts'
import { type Field, FieldReader } from './field-reader.ts'
import { splitLines } from '../split-lines.ts'

type Balance = { readonly amount: string; readonly currency: string; readonly day: string | null }
type Owner = Pick<StatementRow, 'counterparty' | 'number' | 'text'>
/** A row (:61:) that may be followed by text for the account's owner (:86:). */
type PendingRow = Omit<StatementRow, 'counterparty' | 'text' | 'booked'> & {
  readonly ownText: string | null
  readonly days: UndatedRow['days']
}

/** What is known of a statement before its closing balance. */
type OpenStatement = {
  account: string | null
  opening: Balance | null
  currency: string | null
  /** MT942, which has no balances. */
  isIntraday: boolean
  /** When an MT942 was made. */
  reported: Period | null
  credits: string | null
  debits: string | null
}

const balancePattern = /^([CD])(\d{6})([A-Z]{3})0*(\d{1,15},\d{0,3}|,\d{1,3})$/
const rowPattern =
  /^(\d{6})(\d{4}| {4})?(R[CD]|E[CD]|[CD])([A-Z])?0*(\d{1,15}(?:,\d{0,3}|(?=[A-Z]))|,\d{1,3})(?![.,\d])([A-Z][A-Z0-9 ]{3})?(.*)$/s
const sumPattern = /^\d{1,5}[A-Z]{3}0*(\d{1,15},\d{0,3})$/
const noReference = /^(?:NONREF|NOREF|NOTPROVIDED|KREF\+?|-*|0*)$/i

const decimal = (amount: string): string => amount.replace(',', '.').replace(/^\./, '0.').replace(/\.$/, '')

const nothing: Owner = { counterparty: { name: null, number: null, bank: [] }, number: null, text: null }

/** Joins numbered parts. A full part, of 27 characters or 26 and a lost space, may end within a word. */
const joinParts = (parts: readonly string[]): string =>
  parts.map((part) => (part.length === 26 || part.length === 27 ? part : `${part} `)).join('')

const readReference = (text: string | undefined): string | null =>
  noReference.test((text ?? '').trim()) ? null : tidyText(text)

/** Names of the parts of a purpose, which banks write without a space before them. */
const purposeNames = /(?<=\S)(?=(?:EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP)\+)/g

/** The parts of the owner's text if the bank numbers them: `?20…`, in Poland also `<20…`, `^20…` or `~20…`. */
const readNumberedText = (text: string): Owner | undefined => {
  const [, mark = '?'] = /^\d{3}([<^~])\d\d/.exec(text) ?? []
  const parts = new Map<string, string>()
  let last: string | undefined
  for (const part of text.split(mark).slice(1)) {
    const isNumbered = /^\d\d/.test(part)
    if (isNumbered) last = part.slice(0, 2)
    // The mark may also be in a text.
    const value = isNumbered ? part.slice(2) : `${mark}${part}`
    if (last !== undefined) parts.set(last, (parts.get(last) ?? '') + value)
  }
  if (!['20', '32', '00'].some((code) => parts.has(code))) return undefined
  const purpose = [...parts].filter(([code]) => /^(?:2\d|6[0-3])$/.test(code)).map(([, value]) => value)
  return {
    counterparty: {
      name: tidyText(joinParts([parts.get('32') ?? '', parts.get('33') ?? ''])),
      number: tidyText(parts.get('38') ?? parts.get('31')),
      bank: present(tidyText(parts.get('30'))),
    },
    number: null,
    text: tidyText(joinParts(purpose).replace(purposeNames, ' ')) ?? tidyText(parts.get('00')),
  }
}

/** The parts of the owner's text if the bank names them: `/NAME/…`. */
const readNamedText = (text: string): Owner | undefined => {
  const pattern = /\/(NAME|IBAN|BIC|REMI|ORDP|CNTP|EREF|ABWA)\/(.*?)(?=\/(?:[A-Z]{4}|BIC)\/|$)/g
  const parts = new Map([...text.matchAll(pattern)].map(([, code = '', value = '']) => [code, value]))
  if (parts.size === 0) return undefined
  const [number, bank, name] = parts.get('CNTP')?.split('/') ?? []
  return {
    counterparty: {
      name: tidyText(parts.get('NAME') ?? name),
      number: tidyText(parts.get('IBAN') ?? number),
      bank: present(tidyText(parts.get('BIC') ?? bank)),
    },
    number: readReference(parts.get('EREF')?.replace(/\/$/, '')),
    text: tidyText(parts.get('REMI') ?? text),
  }
}

/** A text with its line ends, but a time of day that is cut, as in `14` and `:26:37`, is one word. */
const joinTimes = (text: string): string => text.replace(/(?<=\d)\n(?=:\d\d)/g, '')

const readOwnerText = (text: string): Owner => {
  const flat = text.replace(/\n/g, '')
  return readNumberedText(flat) ?? readNamedText(flat) ?? { ...nothing, text: tidyText(joinTimes(text)) }
}

/** The days that a row may be of: that of the entry date if it has one, else the value date. */
const daysOf = (valueDate: string, entryDate: string): UndatedRow['days'] => {
  if (entryDate !== '') return possibleDays(valueDate, entryDate)
  const day = isoDay(valueDate)
  return day === null ? [] : [{ day, isNear: true }]
}

/** The row of a field (:61:); the reason as a text if it cannot be read. */
const readRow = (
  { line, text }: Field,
  statement: OpenStatement,
): PendingRow | SkippedRow | { readonly reason: string } => {
  const [first = '', ...more] = text.split('\n')
  const [, valueDate = '', entryDate = '', mark = '', , amount = '', , references = ''] = rowPattern.exec(first) ?? []
  if (mark === '')
    return {
      reason: `The row (:61:) is not in the form of MT940 (date, C or D, amount with a comma): "${first.slice(0, 40)}". Ask the bank for a corrected file.`,
    }
  const days = daysOf(valueDate, entryDate.trim())
  if (days.length === 0)
    return {
      reason: `The row (:61:) has no valid date: ${entryDate.trim() || valueDate}. Ask the bank for a corrected file.`,
    }
  if (/^[0.]+$/.test(decimal(amount))) return 'zero'
  const [customer, bank] = references.split('//')
  const reference = readReference(bank)
  return {
    line,
    account: statement.account,
    // RC reverses a credit, so money leaves; RD reverses a debit.
    direction: mark === 'C' || mark === 'RD' || mark === 'EC' ? 'credit' : 'debit',
    kind: mark.startsWith('E') ? 'pending' : mark.startsWith('R') ? 'reversal' : 'booked',
    currency: statement.currency,
    amount: decimal(amount),
    days,
    reference,
    referenceKind: reference === null ? null : 'entry',
    number: readReference(customer),
    ownText: tidyText(joinTimes(more.join('\n'))),
  }
}

/** Reads MT940 and MT942 (SWIFT), with or without blocks; skips fields that banks have added. */
class Mt940Parser implements StatementParser {
  readonly #sink: StatementSink
  readonly #fields = new FieldReader(
    (field) => this.#takeField(field),
    () => this.#endRow(nothing),
  )
  readonly #lines = splitLines((text, line) => this.#fields.takeLine(text.trimEnd(), line))
  readonly #days: EntryDays
  #row: PendingRow | undefined
  #statement: OpenStatement | undefined
  #messages = 0

  constructor(sink: StatementSink) {
    this.#sink = sink
    this.#days = new EntryDays(sink)
  }

  write(text: string): void {
    this.#lines.write(text)
  }

  end(): void {
    const last = this.#lines.end()
    this.#fields.end()
    this.#endRow(nothing)
    if (this.#messages === 0)
      throw new FileFault(last, 'There is no statement in the file (:20:, :25:): export it again.')
    this.#endIntraday(last, 'The file is cut off: the closing balance (:62F:) is missing. Download it again.')
  }

  #takeField(field: Field): void {
    if (field.tag === '86') return this.#endRow(readOwnerText(field.text))
    if (field.tag === 'NS' && this.#row) return
    this.#endRow(nothing)
    this.#takeOther(field)
  }

  #begin(line: number): OpenStatement {
    this.#endIntraday(
      line,
      'A new statement begins here, but the previous one has no closing balance (:62F:): download the file again.',
    )
    this.#statement = {
      ...{ account: null, opening: null, currency: null, isIntraday: false, reported: null },
      ...{ credits: null, debits: null },
    }
    this.#messages++
    return this.#statement
  }

  #takeOther(field: Field): void {
    const { tag, line, text } = field
    if (tag === '20') return void this.#begin(line)
    if (/^25P?$/.test(tag)) return this.#takeAccount(field)
    if (tag === '61') return this.#takeRow(field, this.#named(line))
    if (/^60[FM]$/.test(tag)) return this.#takeOpening(field, this.#named(line))
    if (/^62[FM]$/.test(tag)) return this.#takeClosing(field, this.#named(line))
    const statement = this.#statement
    if (!statement) return
    if (/^90[CD]$/.test(tag)) return this.#takeSum(field, statement)
    if (tag === '34F') statement.currency = readCurrency(/^[A-Z]{3}/.exec(text)?.[0]) ?? statement.currency
    if (tag === '34F' || tag === '13D') statement.isIntraday = true
    const reportedOn = /^13D?$/.test(tag) ? isoDay(text.slice(0, 6)) : null
    if (reportedOn !== null) statement.reported = daysAround(reportedOn)
  }

  /** Some banks leave out `:20:`: then the account begins a statement. */
  #takeAccount({ line, text }: Field): void {
    const account = tidyText(text.split('\n')[0])
    const isSame = !this.#statement?.account || this.#statement.account === account
    const statement = this.#statement && isSame ? this.#statement : this.#begin(line)
    statement.account = account
  }

  /** The statement that a row or balance belongs to, with its account. */
  #named(line: number): OpenStatement {
    if (!this.#statement)
      throw new FileFault(
        line,
        'A row or balance comes before the statement begins (:20:, :25:): download the file again.',
      )
    if (this.#statement.account === null)
      throw new FileFault(line, 'The statement does not name its account (:25:): ask the bank for a corrected file.')
    return this.#statement
  }

  #takeRow(field: Field, statement: OpenStatement): void {
    const row = readRow(field, statement)
    if (typeof row === 'string') this.#sink.skip(row)
    else if ('reason' in row) this.#sink.fault(field.line, row.reason)
    else this.#row = row
  }

  #endRow({ counterparty, number, text: ownersText }: Owner): void {
    if (!this.#row) return
    const { ownText, days, ...own } = this.#row
    this.#row = undefined
    // The text of the row itself may be only codes (`/OCMT/…`).
    const text = ownersText !== null && ownText?.startsWith('/') ? ownersText : joinTexts(ownersText, ownText)
    const row = {
      ...{ ...own, number: own.number ?? number, text },
      counterparty: { ...counterparty, number: findPhone(text) ?? counterparty.number },
    }
    this.#days.take({ row, days }, this.#statement?.opening?.day ?? null, this.#statement?.reported ?? null)
  }

  #readBalance({ line, text }: Field): Balance | null {
    const written = (text.split('\n')[0] ?? '').trim()
    const [, sign, date = '', code = '', digits = ''] = balancePattern.exec(written) ?? []
    const amount = sign === 'D' ? `-${decimal(digits)}` : decimal(digits)
    const day = isoDay(date)
    // Banks write zeros for no day.
    if (sign !== undefined && (day !== null || date === '000000'))
      return { amount, currency: readCurrency(code) ?? '', day }
    const reason =
      sign === undefined
        ? 'The balance is not in the form of MT940 (C or D, date, currency, amount with a comma)'
        : 'The balance has a date that does not exist'
    this.#sink.fault(line, `${reason}: "${written.slice(0, 40)}". Ask the bank for a corrected file.`)
    return null
  }

  #takeOpening(field: Field, statement: OpenStatement): void {
    statement.opening = this.#readBalance(field)
    statement.currency = statement.opening?.currency ?? null
  }

  #takeClosing(field: Field, statement: OpenStatement): void {
    const closing = this.#readBalance(field)
    this.#statement = undefined
    const [from, to] = [statement.opening?.day, closing?.day]
    this.#days.end(from && to ? { from, to } : null)
    // An intermediate balance (:62M:) is not the one at the end of the day.
    if (closing) this.#endStatement(statement, field.line, field.tag === '62F' ? closing : { ...closing, day: null })
  }

  #takeSum({ tag, line, text }: Field, statement: OpenStatement): void {
    const [, amount] = sumPattern.exec(text.trim()) ?? []
    if (amount === undefined)
      this.#sink.fault(
        line,
        `The sum (:${tag}:) is not in the form of MT942 (count, currency, amount with a comma): "${text.trim().slice(0, 40)}". Ask the bank for a corrected file.`,
      )
    else statement[tag === '90C' ? 'credits' : 'debits'] = decimal(amount)
  }

  /** Ends the open statement, if any; it must be an MT942, which has no closing balance. */
  #endIntraday(line: number, reason: string): void {
    if (!this.#statement) return
    if (!this.#statement.isIntraday) throw new FileFault(line, reason)
    this.#days.end(null)
    this.#endStatement(this.#statement, line, null)
  }

  #endStatement(statement: OpenStatement, line: number, closing: Balance | null): void {
    const { account, opening, currency, credits, debits } = statement
    if (opening && closing && opening.currency !== closing.currency) {
      this.#sink.fault(
        line,
        `The opening balance is in ${opening.currency}, the closing balance in ${closing.currency}: ask the bank for a corrected file.`,
      )
      return
    }
    this.#sink.balance({
      ...{ line, account, currency: currency ?? closing?.currency ?? null, credits, debits },
      opening: opening?.amount ?? null,
      closing: closing?.amount ?? null,
      closedOn: closing?.day ?? null,
    })
  }
}

/** Whether a file begins like MT942: bookings up to a time of the day, without balances. */
const isInterim = (text: string): boolean => /^:(?:34F|13D?):/m.test(text) && !/^:6[02][FM]:/m.test(text)

/** Whether a text begins with a message, or has one: its beginning, which may lack `:20:`, and a balance or row. */
const hasMessage = (text: string): boolean =>
  /^\s*:20:/.test(text) ||
  /^(?:\{4:)?[^\S\r\n]*:60[FM]:[CD]\d{6}[A-Z]{3}/m.test(text) ||
  (/^(?:\{4:)?[^\S\r\n]*:(?:20|25P?):/m.test(text) && /^:(?:28C|13D|34F|60[FM]|61:\d{6}|62[FM])/m.test(text))

/**
 * MT940 and MT942, the statements of SWIFT. Each is a separate kind of file, as camt.052 and camt.053 are: a bank may
 * describe a booking in other words at the end of the day, and both list all bookings.
 */
export const format: TextFormat = {
  detects: ({ text }) => hasMessage(text),
  open: ({ text, charset }) => ({
    ...{ charset, mapping: null, channel: isInterim(text) ? 'mt942' : 'mt940' },
    parser: (sink) => new Mt940Parser(sink),
  }),
}
