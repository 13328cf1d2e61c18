import { accountCurrency, readCurrency } from '../../domain/currency-names.ts'
import {
  findPhone,
  isDate,
  plainAccount,
  present,
  refuseLine,
  type StatementParser,
  type StatementSink,
  tidyText,
} from '../../domain/statement.ts'
import type { TextFormat } from '../../domain/statement-format.ts'
import { splitLines } from './split-lines.ts'

type Section = { readonly line: number; readonly name: string; readonly fields: Map<string, string> }

/** Most accounts per file. */
const maxAccounts = 10_000
/** Most fields per section. */
const maxFields = 500

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

/** Balances and sums of an account of the file; the sums are in hundredths. */
type Turnover = {
  line: number
  opening: string | null
  closing: string | null
  openedOn: string | null
  closedOn: string | null
  credits: bigint | null
  debits: bigint | null
}

const amountPattern = /^-?\d{1,15}(?:[.,]\d{1,2})?$/
const readAmount = (text: string | undefined): string | null => {
  const plain = (text ?? '').replace(/[\s\u00a0]/g, '')
  return amountPattern.test(plain) ? plain.replace(',', '.') : null
}

const toHundredths = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}
const fromHundredths = (value: bigint | null): string | null =>
  value === null ? null : `${value / 100n}.${String(value % 100n).padStart(2, '0')}`

const isoDate = (text: string | undefined): string | null => {
  const [, dayOfMonth = '', month = '', year = ''] =
    /^(\d\d)\.(\d\d)\.(\d{4})(?:\s+0?0:00(?::00)?)?$/.exec(text?.trim() ?? '') ?? []
  return isDate(Number(year), Number(month), Number(dayOfMonth)) ? `${year}-${month}-${dayOfMonth}` : null
}

const add = (sum: bigint | null, text: string | undefined): bigint | null => {
  const amount = readAmount(text)
  return amount === null || amount.startsWith('-') ? sum : (sum ?? 0n) + toHundredths(amount)
}

/** The first of the given fields that a section has. */
const fieldOf = ({ fields }: Section, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const value = tidyText(fields.get(name))
    if (value !== null) return value
  }
  return null
}

const isNothing = (amount: string | null): boolean => amount === null || /^[0.]+$/.test(amount)

/** The party on one side of a document; field names as in Russia and in Kazakhstan. */
const readSide = (section: Section, side: 'Плательщик' | 'Получатель') => {
  const field = (...names: readonly string[]) => fieldOf(section, ...names.map((name) => `${side}${name}`))
  return {
    account: plainAccount(field('Счет', 'РасчСчет', 'ИИК') ?? ''),
    name: field('1', '', 'Наименование'),
    bank: present(field('БИК', 'БанкБИК'), field('Банк1', 'БанкНаименование')),
  }
}

type Account = { readonly isOwn: (account: string) => boolean; readonly only: string | undefined }

/**
 * The rows of a document: one for each of the file's own accounts whose money it moves. In Kazakhstan the sum field
 * gives the direction (СуммаПриход, СуммаРасход), and the row belongs to the file's only account if the document names
 * another.
 */
const readDocument = (section: Section, { isOwn, only }: Account, sink: StatementSink): void => {
  const { line, fields } = section
  const field = (...names: readonly string[]) => fieldOf(section, ...names)
  const [whole, income, expense] = ['Сумма', 'СуммаПриход', 'СуммаРасход'].map((name) => readAmount(fields.get(name)))
  const sums = [income ?? null, expense ?? null].filter((sum) => !isNothing(sum))
  if (sums.length > 1)
    return sink.fault(line, 'The document has both an incoming and an outgoing sum (СуммаПриход, СуммаРасход).')
  const amount = sums[0] ?? whole ?? income ?? expense ?? null
  if (amount !== null && isNothing(amount)) return sink.skip('zero')
  if (amount === null || amount.startsWith('-'))
    return sink.fault(line, 'The document has no amount (Сумма) above zero.')
  const [payer, payee] = [readSide(section, 'Плательщик'), readSide(section, 'Получатель')]
  const sides = [
    { own: payee, direction: 'credit', dateField: 'ДатаПоступило', other: payer },
    { own: payer, direction: 'debit', dateField: 'ДатаСписано', other: payee },
  ] as const
  const said = sums.length === 0 ? undefined : isNothing(income ?? null) ? 'debit' : 'credit'
  const own = sides.flatMap((side) => {
    if (said !== undefined && side.direction !== said) return []
    if (isOwn(side.own.account)) return [{ ...side, account: side.own.account }]
    return said !== undefined && only !== undefined ? [{ ...side, account: only }] : []
  })
  if (own.length === 0) return sink.fault(line, 'The document is of none of the accounts of this file.')
  const text = field('НазначениеПлатежа', 'НазначениеПлатежа1')
  const number = field('Номер', 'НомерДокумента')
  for (const { account, direction, dateField, other } of own) {
    const date = field(dateField, 'ДатаОперации', 'Дата', 'ДатаДокумента')
    const booked = isoDate(date ?? undefined)
    if (booked === null) {
      sink.fault(line, `The document has no date of booking (${dateField})${date === null ? '' : `: ${date}`}.`)
      continue
    }
    sink.row({
      ...{ line, kind: 'booked', direction, amount, account, booked, reference: null, referenceKind: null, text },
      currency: accountCurrency(account) ?? readCurrency(field('Валюта') ?? ''),
      // Numbers begin again each year, so the document's date is added to its number.
      number: number === null ? null : present(number, field('Дата', 'ДатаДокумента')).join(' '),
      counterparty: {
        name: other.name,
        number: findPhone(text) ?? (other.account === '' ? null : other.account),
        bank: other.bank,
      },
    })
  }
}

/** Reads 1CClientBankExchange of every version: one `Name=value` field per line. */
class Exchange1cParser implements StatementParser {
  readonly #sink: StatementSink
  readonly #accounts = new Map<string, Turnover>()
  readonly #lines = splitLines((text, line) => this.#takeLine(text.trim(), line))
  #section: Section | undefined
  #isEnded = false

  constructor(sink: StatementSink) {
    this.#sink = sink
  }

  write(text: string): void {
    this.#lines.write(text)
  }

  end(): void {
    const last = this.#lines.end()
    if (!this.#isEnded) throw refuseLine(last, 'The file is cut off: its last line (КонецФайла) is missing.')
    if (this.#accounts.size === 0) throw refuseLine(last, 'The file does not name its account (РасчСчет).')
    for (const [account, { credits, debits, ...balance }] of this.#accounts) {
      const sums = { credits: fromHundredths(credits), debits: fromHundredths(debits) }
      this.#sink.balance({ ...balance, ...sums, account, currency: accountCurrency(account) })
    }
  }

  #takeLine(text: string, line: number): void {
    if (text === '' || this.#isEnded) return
    const at = text.indexOf('=')
    const written = at < 0 ? text : text.slice(0, at).trim()
    // Some banks write section names in capitals.
    const name = marks.get(written.toUpperCase()) ?? written
    const value = at < 0 ? undefined : text.slice(at + 1).trim()
    if (name === 'КонецФайла') {
      if (this.#section)
        throw refuseLine(line, `The file ends inside a section that began on line ${this.#section.line}.`)
      this.#isEnded = true
    } else if (sections.has(name)) {
      if (this.#section)
        throw refuseLine(line, `A section begins inside another one, which began on line ${this.#section.line}.`)
      this.#section = { line, name, fields: new Map() }
    } else if (sectionEnds.has(name)) {
      this.#endSection(name, line)
    } else if (this.#section) {
      this.#takeField(this.#section, name, value, line)
    } else if (name === 'РасчСчет' && value !== undefined && value !== '') {
      this.#turnoverOf(plainAccount(value), line)
    }
  }

  #takeField({ fields }: Section, name: string, value: string | undefined, line: number): void {
    if (value === undefined) return this.#sink.fault(line, 'The line is not a field (Name=value) of its section.')
    if (fields.size > maxFields) throw refuseLine(line, 'The section has more fields than can be read.')
    if (!fields.has(name)) fields.set(name, value)
  }

  #endSection(end: string, line: number): void {
    const section = this.#section
    if (!section || section.name !== sectionEnds.get(end))
      throw refuseLine(line, `A section ends (${end}) that had not begun.`)
    this.#section = undefined
    if (section.name === 'СекцияРасчСчет') this.#addTurnover(section)
    else {
      const [only, ...others] = this.#accounts.keys()
      const isOwn = (account: string): boolean => this.#accounts.has(account)
      readDocument(section, { isOwn, only: others.length > 0 ? undefined : only }, this.#sink)
    }
  }

  #addTurnover({ line, fields }: Section): void {
    const account = plainAccount(fields.get('РасчСчет') ?? '')
    if (account === '') return this.#sink.fault(line, 'The section of an account does not name it (РасчСчет).')
    const turnover = this.#turnoverOf(account, line)
    // A file may have a section for each day; the first gives the opening balance and the last the closing one.
    turnover.openedOn ??= isoDate(fields.get('ДатаНачала'))
    turnover.opening ??= readAmount(fields.get('НачальныйОстаток'))
    const closing = readAmount(fields.get('КонечныйОстаток'))
    if (closing !== null) {
      turnover.closing = closing
      turnover.closedOn = isoDate(fields.get('ДатаКонца'))
    }
    turnover.credits = add(turnover.credits, fields.get('ВсегоПоступило'))
    turnover.debits = add(turnover.debits, fields.get('ВсегоСписано'))
  }

  #turnoverOf(account: string, line: number): Turnover {
    const none = { line, opening: null, closing: null, openedOn: null, closedOn: null, credits: null, debits: null }
    const turnover: Turnover = this.#accounts.get(account) ?? none
    this.#accounts.set(account, turnover)
    if (this.#accounts.size > maxAccounts) throw refuseLine(line, `The file has more than ${maxAccounts} accounts.`)
    return turnover
  }
}

/** 1CClientBankExchange, which Russian banks export for accounting software. */
export const exchange1c: TextFormat = {
  detects: ({ text }) => /^\s*1CClientBankExchange/.test(text),
  open: ({ charset }) => ({ charset, mapping: null, channel: '1c', parser: (sink) => new Exchange1cParser(sink) }),
}
