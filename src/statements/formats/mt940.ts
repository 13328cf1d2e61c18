import { readCurrency } from '../../domain/currency-names.ts'
import {
  findPhone,
  isDate,
  present,
  refuseLine,
  type SkippedRow,
  type StatementParser,
  type StatementRow,
  type StatementSink,
  tidyText,
} from '../../domain/statement.ts'
import type { TextFormat } from '../../domain/statement-format.ts'
import { splitLines } from './split-lines.ts'

type Field = { readonly tag: string; readonly line: number; text: string }
type Balance = { readonly amount: string; readonly currency: string; readonly day: string | null }
type Owner = Pick<StatementRow, 'counterparty' | 'text'>
/** A row (:61:) that may be followed by text for the account's owner (:86:). */
type PendingRow = Omit<StatementRow, keyof Owner> & { readonly ownText: string | null }

/** What is known of a statement between `:20:` and its closing balance. */
type OpenStatement = {
  account: string | null
  opening: Balance | null
  currency: string | null
  /** MT942, which has no balances. */
  isIntraday: boolean
  credits: string | null
  debits: string | null
}

const fieldPattern = /^(?:\{4:)?:([0-9A-Z]{2,3}):(.*)$/
// Some banks end the file with ETX.
const messageEndPattern = /^ *(?:-(?:\}|[A-Z]{0,3}$)|-?\p{Cc}+$)/u
const balancePattern = /^([CD])(\d{6})([A-Z]{3})0*(\d{1,15},\d{0,3})$/
const rowPattern =
  /^(\d{6})(\d{4}| {4})?(R[CD]|E[CD]|[CD])([A-Z])?0*(\d{1,15}(?:,\d{0,3}|(?=[A-Z])))([A-Z][A-Z0-9 ]{3})?(.*)$/s
const sumPattern = /^\d{1,5}[A-Z]{3}0*(\d{1,15},\d{0,3})$/
const noReference = /^(?:NONREF|NOREF|NOTPROVIDED|-*|0*)$/i
/** Longest text of a field; SWIFT allows six lines of 65 characters. */
const maxFieldLength = 16_000

const decimal = (amount: string): string => amount.replace(',', '.').replace(/\.$/, '')

const isoDate = (text: string): string | null => {
  const [year, month, dayOfMonth] = [text.slice(0, 2), text.slice(2, 4), text.slice(4, 6)]
  const isDay = isDate(2000 + Number(year), Number(month), Number(dayOfMonth))
  return isDay ? `20${year}-${month}-${dayOfMonth}` : null
}

/** The booking day: the entry date, whose year is that of the value date or one next to it. */
const bookedOn = (valueDate: string, entryDate: string | undefined): string | null => {
  if (entryDate === undefined || entryDate.trim() === '') return isoDate(valueDate)
  const month = Number(valueDate.slice(2, 4))
  const entryMonth = Number(entryDate.slice(0, 2))
  const shift = month === 12 && entryMonth === 1 ? 1 : month === 1 && entryMonth === 12 ? -1 : 0
  return isoDate(String(Number(valueDate.slice(0, 2)) + shift).padStart(2, '0') + entryDate)
}

const nothing: Owner = { counterparty: { name: null, number: null, bank: [] }, text: null }

/** The parts of the owner's text if the bank numbers them: `?20…`. */
const readNumberedText = (text: string): Owner | undefined => {
  const parts = new Map<string, string>()
  for (const [, code = '', value = ''] of text.matchAll(/\?(\d\d)([^?]*)/g))
    parts.set(code, (parts.get(code) ?? '') + value)
  if (!['20', '32', '00'].some((code) => parts.has(code))) return undefined
  const purpose = [...parts].filter(([code]) => /^(?:2\d|6[0-3])$/.test(code)).map(([, value]) => value)
  return {
    counterparty: {
      name: tidyText(`${parts.get('32') ?? ''}${parts.get('33') ?? ''}`),
      number: tidyText(parts.get('38') ?? parts.get('31')),
      bank: present(tidyText(parts.get('30'))),
    },
    text: tidyText(purpose.join('')) ?? tidyText(parts.get('00')),
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
    text: tidyText(parts.get('REMI') ?? text),
  }
}

const readOwnerText = (text: string): Owner => {
  const flat = text.replace(/\n/g, '')
  return readNumberedText(flat) ?? readNamedText(flat) ?? { ...nothing, text: tidyText(text) }
}

const readReference = (text: string | undefined): string | null =>
  noReference.test((text ?? '').trim()) ? null : tidyText(text)

/** The row of a field (:61:); the reason as a text if it cannot be read. */
const readRow = (
  { line, text }: Field,
  statement: OpenStatement,
): PendingRow | SkippedRow | { readonly reason: string } => {
  const [first = '', ...more] = text.split('\n')
  const [, valueDate = '', entryDate, mark = '', , amount = '', , references = ''] = rowPattern.exec(first) ?? []
  if (mark === '')
    return {
      reason: `The row (:61:) is not one of MT940 (date, C or D, amount with a comma): "${first.slice(0, 40)}".`,
    }
  const booked = bookedOn(valueDate, entryDate)
  if (booked === null) return { reason: `The row has no valid date: ${entryDate ?? valueDate}.` }
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
    booked,
    reference,
    referenceKind: reference === null ? null : 'entry',
    number: readReference(customer),
    ownText: tidyText(more.join(' ')),
  }
}

/** Reads MT940 and MT942 (SWIFT), with or without blocks; skips fields that banks have added. */
class Mt940Parser implements StatementParser {
  readonly #sink: StatementSink
  readonly #lines = splitLines((text, line) => this.#takeLine(text.trimEnd(), line))
  #field: Field | undefined
  #row: PendingRow | undefined
  #statement: OpenStatement | undefined
  #messages = 0

  constructor(sink: StatementSink) {
    this.#sink = sink
  }

  write(text: string): void {
    this.#lines.write(text)
  }

  end(): void {
    const last = this.#lines.end()
    this.#endField()
    this.#endRow(nothing)
    if (this.#messages === 0) throw refuseLine(last, 'The file has no statement in it (:20:).')
    this.#endIntraday(last, 'The file is cut off: the closing balance (:62F:) is missing.')
  }

  #takeLine(text: string, line: number): void {
    const [, tag, rest = ''] = fieldPattern.exec(text) ?? []
    if (tag !== undefined) {
      this.#endField()
      this.#field = { tag, line, text: rest }
      this.#checkField(line)
    } else if (messageEndPattern.test(text)) {
      this.#endField()
      this.#endRow(nothing)
    } else if (this.#field) {
      this.#field.text += `\n${text}`
      this.#checkField(line)
    }
  }

  #checkField(line: number): void {
    if ((this.#field?.text.length ?? 0) > maxFieldLength)
      throw refuseLine(line, `The field is longer than ${maxFieldLength} characters.`)
  }

  #endField(): void {
    const field = this.#field
    this.#field = undefined
    if (!field) return
    if (field.tag === '86') return this.#endRow(readOwnerText(field.text))
    if (field.tag === 'NS' && this.#row) return
    this.#endRow(nothing)
    if (field.tag === '20') this.#begin(field.line)
    else this.#takeField(field)
  }

  #begin(line: number): void {
    this.#endIntraday(line, 'A statement begins before the one before it has its closing balance (:62F:).')
    this.#statement = { account: null, opening: null, currency: null, isIntraday: false, credits: null, debits: null }
    this.#messages++
  }

  #takeField(field: Field): void {
    const { tag, line, text } = field
    if (tag === '61') return this.#takeRow(field, this.#named(line))
    if (/^60[FM]$/.test(tag)) return this.#takeOpening(field, this.#named(line))
    if (/^62[FM]$/.test(tag)) return this.#takeClosing(field, this.#named(line))
    const statement = this.#statement
    if (!statement) return
    if (/^90[CD]$/.test(tag)) return this.#takeSum(field, statement)
    if (/^25P?$/.test(tag)) statement.account = tidyText(text.split('\n')[0])
    if (tag === '34F') statement.currency = readCurrency(/^[A-Z]{3}/.exec(text)?.[0]) ?? statement.currency
    if (tag === '34F' || tag === '13D') statement.isIntraday = true
  }

  /** The statement that a row or balance belongs to, with its account. */
  #named(line: number): OpenStatement {
    if (!this.#statement) throw refuseLine(line, 'A row or balance comes before the statement begins (:20:).')
    if (this.#statement.account === null) throw refuseLine(line, 'The statement does not name its account (:25:).')
    return this.#statement
  }

  #takeRow(field: Field, statement: OpenStatement): void {
    const row = readRow(field, statement)
    if (typeof row === 'string') this.#sink.skip(row)
    else if ('reason' in row) this.#sink.fault(field.line, row.reason)
    else this.#row = row
  }

  #endRow({ counterparty, text: ownersText }: Owner): void {
    if (!this.#row) return
    const { ownText, ...row } = this.#row
    this.#row = undefined
    const text = ownersText ?? ownText
    this.#sink.row({ ...row, counterparty: { ...counterparty, number: findPhone(text) ?? counterparty.number }, text })
  }

  #readBalance({ line, text }: Field): Balance | null {
    const [, sign, date = '', code = '', digits = ''] = balancePattern.exec(text.trim()) ?? []
    const amount = sign === 'D' ? `-${decimal(digits)}` : decimal(digits)
    if (sign !== undefined) return { amount, currency: readCurrency(code) ?? '', day: isoDate(date) }
    this.#sink.fault(
      line,
      `The balance is not one of MT940 (C or D, date, currency, amount with a comma): "${text.trim().slice(0, 40)}".`,
    )
    return null
  }

  #takeOpening(field: Field, statement: OpenStatement): void {
    statement.opening = this.#readBalance(field)
    statement.currency = statement.opening?.currency ?? null
  }

  #takeClosing(field: Field, statement: OpenStatement): void {
    const closing = this.#readBalance(field)
    this.#statement = undefined
    // An intermediate balance (:62M:) is not the one at the end of the day.
    if (closing) this.#endStatement(statement, field.line, field.tag === '62F' ? closing : { ...closing, day: null })
  }

  #takeSum({ tag, line, text }: Field, statement: OpenStatement): void {
    const [, amount] = sumPattern.exec(text.trim()) ?? []
    if (amount === undefined) this.#sink.fault(line, 'The sum (:90:) is not one of MT942.')
    else statement[tag === '90C' ? 'credits' : 'debits'] = decimal(amount)
  }

  /** Ends the open statement, if any; it must be an MT942, which has no closing balance. */
  #endIntraday(line: number, reason: string): void {
    if (!this.#statement) return
    if (!this.#statement.isIntraday) throw refuseLine(line, reason)
    this.#endStatement(this.#statement, line, null)
  }

  #endStatement(statement: OpenStatement, line: number, closing: Balance | null): void {
    const { account, opening, currency, credits, debits } = statement
    if (opening && closing && opening.currency !== closing.currency) {
      this.#sink.fault(line, `The opening balance is in ${opening.currency}, the closing one in ${closing.currency}.`)
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

/**
 * MT940 and MT942, the statements of SWIFT. Each is a separate kind of file, as camt.052 and camt.053 are: a bank may
 * describe a booking in other words at the end of the day, and both list all bookings.
 */
export const mt940: TextFormat = {
  detects: ({ text }) => /^(?:\{4:)?[^\S\r\n]*:20:/m.test(text),
  open: ({ text, charset }) => ({
    ...{ charset, mapping: null, channel: isInterim(text) ? 'mt942' : 'mt940' },
    parser: (sink) => new Mt940Parser(sink),
  }),
}
