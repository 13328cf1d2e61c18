import { accountCurrency } from '../currency.ts'
import { plainAccount } from '../texts.ts'
import { FileFault } from '../file-fault.ts'
import type { StatementParser, StatementSink } from '../statement.ts'
import type { TextFormat } from '../format.ts'
import { read1cDocument } from './read-1c-document.ts'
import { addLine, type Days, daysOf, maxFields, newSection, orderSender, type Section } from './section-of-1c.ts'
import { splitLines } from '../split-lines.ts'

/** Most accounts per file. */
const maxAccounts = 10_000

/** The line that begins a section, by the line that ends it. */
const sectionEnds: ReadonlyMap<string, string> = new Map([
  ['КонецРасчСчет', 'СекцияРасчСчет'],
  ['КонецДокумента', 'СекцияДокумент'],
])
const sections = new Set(sectionEnds.values())
const marks: ReadonlyMap<string, string> = new Map(
  [...sectionEnds]
    .flat()
    .concat('КонецФайла')
    .map((name) => [name.toUpperCase(), name]),
)

/** Balances, sums and days of an account of the file; the sums are in hundredths. */
type Turnover = {
  readonly line: number
  opening: string | null
  closing: string | null
  days: Days | null
  /** The days of the file, once documents without a date of booking were read by them. */
  readBy: Days | null
  closedOn: string | null
  credits: bigint | null
  debits: bigint | null
}

const toHundredths = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}
const fromHundredths = (value: bigint | null): string | null =>
  value === null ? null : `${value / 100n}.${String(value % 100n).padStart(2, '0')}`

/** Some banks write a minus for money out. */
const add = (sum: bigint | null, amount: string | undefined): bigint | null =>
  amount ? (sum ?? 0n) + toHundredths(amount) : sum

/** The days from the first to the last of both. */
const joinDays = (one: Days | null, other: Days | null): Days | null => {
  if (!one || !other) return one ?? other
  return {
    first: one.first < other.first ? one.first : other.first,
    last: one.last > other.last ? one.last : other.last,
  }
}

const endOf = new Map([...sectionEnds].map(([end, begin]) => [begin, end]))

/** That a section should have ended before, and what to do. */
const endless = ({ line, name }: Section): string =>
  ` before the section that began on line ${line} (${name}) has its end (${endOf.get(name)}): export the file again, or ask the bank for a corrected one.`

/** Reads 1CClientBankExchange of every version: one `Name=value` field per line. */
class Exchange1cParser implements StatementParser {
  readonly #sink: StatementSink
  readonly #accounts = new Map<string, Turnover>()
  readonly #lines = splitLines((text, line) => this.#takeLine(text.trim(), line))
  /** The first lines of the file, before its sections and documents. */
  readonly #head = newSection(1, '')
  #section: Section | undefined
  readonly #halves = new Set<string>()
  #isEnded = false

  constructor(sink: StatementSink) {
    this.#sink = sink
  }

  write(text: string): void {
    this.#lines.write(text)
  }

  end(): void {
    const last = this.#lines.end()
    if (!this.#isEnded)
      throw new FileFault(last, 'The file is cut off: its last line (КонецФайла) is missing. Download it again.')
    if (this.#accounts.size === 0) this.#turnoverOf('', last)
    for (const [account, { line, opening, closing, days, closedOn, credits, debits }] of this.#accounts)
      this.#sink.balance({
        ...{ line, opening, closing, openedOn: days?.first ?? null, closedOn },
        ...{ credits: fromHundredths(credits), debits: fromHundredths(debits) },
        account: account === '' ? null : account,
        currency: accountCurrency(account),
      })
  }

  #takeLine(text: string, line: number): void {
    if (text === '' || this.#isEnded) return
    const at = text.indexOf('=')
    const written = at < 0 ? text : text.slice(0, at).trim()
    // Some banks write section names in capitals.
    const name = marks.get(written.toUpperCase()) ?? written
    const value = at < 0 ? undefined : text.slice(at + 1).trim()
    if (name === 'КонецФайла') {
      if (this.#section) throw new FileFault(line, `The file ends${endless(this.#section)}`)
      this.#isEnded = true
    } else if (sections.has(name)) {
      if (this.#section) throw new FileFault(line, `A section begins (${name})${endless(this.#section)}`)
      this.#section = newSection(line, name)
    } else if (sectionEnds.has(name)) {
      this.#endSection(name, line)
    } else if (this.#section) {
      const reason = addLine(this.#section, { name, value, text })
      if (reason !== undefined) this.#refuseField(this.#section, line, reason)
      if (this.#section.fields.size > maxFields)
        throw new FileFault(
          line,
          `The section has more than ${maxFields} fields: export the file again, or ask the bank for a corrected one.`,
        )
    } else if (name === 'РасчСчет' && value !== undefined && plainAccount(value) !== '') {
      this.#turnoverOf(plainAccount(value), line)
    } else if (name === 'Отправитель' && value === orderSender) {
      throw new FileFault(
        line,
        'The file has payment orders for the bank, not what the bank has booked: import the statement of the account.',
      )
    } else if (name === 'ДатаНачала' || name === 'ДатаКонца') {
      this.#head.fields.set(name, value ?? '')
    }
  }

  #refuseField(section: Section, line: number, reason: string): void {
    section.isFaulty = true
    this.#sink.fault(line, reason)
  }

  #endSection(end: string, line: number): void {
    const section = this.#section
    if (!section)
      throw new FileFault(
        line,
        `A section ends here (${end}), but none has begun: export the file again, or ask the bank for a corrected one.`,
      )
    if (section.name !== sectionEnds.get(end)) throw new FileFault(line, `${end} comes${endless(section)}`)
    this.#section = undefined
    if (section.isFaulty) return
    if (section.name === 'СекцияРасчСчет') this.#addTurnover(section)
    else this.#endDocument(section)
  }

  #endDocument(section: Section): void {
    if (this.#accounts.size === 0) this.#turnoverOf('', section.line)
    const accounts = {
      only: this.#onlyAccount,
      isOwn: (account: string) => account !== '' && this.#accounts.has(account),
      halves: this.#halves,
      daysOf: (account: string) => this.#turnoverOf(account, section.line).days ?? daysOf(this.#head),
      noteReadBy: (account: string, days: Days) => {
        this.#turnoverOf(account, section.line).readBy = days
      },
    }
    read1cDocument(section, accounts, this.#sink)
  }

  /** The only account; empty if the file does not name it. */
  get #onlyAccount(): string | undefined {
    const [only, ...others] = this.#accounts.keys()
    return others.length > 0 ? undefined : only
  }

  #addTurnover(section: Section): void {
    const { line, fields } = section
    const named = plainAccount(fields.get('РасчСчет') ?? '')
    const account = named === '' && this.#accounts.size < 2 ? (this.#onlyAccount ?? '') : named
    if (account === '' && this.#accounts.size > 1)
      return this.#sink.fault(
        line,
        'The section of an account does not name it (РасчСчет): export the file again, or ask the bank for a corrected one.',
      )
    const turnover = this.#turnoverOf(account, line)
    // A file may have a section for each day; the first gives the opening balance and the last the closing one.
    const days = daysOf(section)
    turnover.days = joinDays(turnover.days, days)
    const { readBy } = turnover
    if (readBy !== null && (days?.first !== readBy.first || days.last !== readBy.last))
      this.#sink.fault(
        line,
        `Documents before this section have no date of booking and were read by the days ${readBy.first} to ${readBy.last}, but the section has other days (ДатаНачала, ДатаКонца): export each day as a separate file.`,
      )
    turnover.opening ??= fields.get('НачальныйОстаток') || null
    const closing = fields.get('КонечныйОстаток') || null
    if (closing !== null) {
      turnover.closing = closing
      turnover.closedOn = days?.last ?? null
    }
    turnover.credits = add(turnover.credits, fields.get('ВсегоПоступило'))
    turnover.debits = add(turnover.debits, fields.get('ВсегоСписано'))
  }

  #turnoverOf(account: string, line: number): Turnover {
    if (account !== '' && this.#accounts.has(''))
      throw new FileFault(
        line,
        'The file names its account (РасчСчет) after documents or balances: move this line to the second line of the file.',
      )
    const none = { opening: null, closing: null, days: null, readBy: null, closedOn: null, credits: null, debits: null }
    const turnover: Turnover = this.#accounts.get(account) ?? { line, ...none }
    this.#accounts.set(account, turnover)
    if (this.#accounts.size > maxAccounts)
      throw new FileFault(line, `The file has more than ${maxAccounts} accounts. Export fewer at a time.`)
    return turnover
  }
}

/** 1CClientBankExchange, which Russian banks export for accounting software. */
export const format: TextFormat = {
  // Some programs leave the first line out.
  detects: ({ text }) => /^\s*1CClientBankExchange/i.test(text) || /^Секция(?:Документ|РасчСчет)/im.test(text),
  open: ({ charset }) => ({ charset, mapping: null, channel: '1c', parser: (sink) => new Exchange1cParser(sink) }),
}
