import type { GivenMapping } from '../../domain/csv-mapping.ts'
import { readCurrency } from '../../domain/currency-names.ts'
import {
  refuseLine,
  type StatementBalance,
  type StatementCharset,
  type StatementParser,
  type StatementSink,
} from '../../domain/statement.ts'
import { accountOf, isAmount, type Payment, readEntry, readPayment } from './read-entry.ts'
import { type Element, ElementReader, type ElementSink, find, textOf } from './element-reader.ts'
import type { FileHead, TextFormat } from '../../domain/statement-format.ts'

/** What is known of a statement of the message before it ends. */
type OpenStatement = { account: string | null; currency: string | null; readonly balances: Element[] }

/** Most payments of an entry. */
const maxPayments = 100_000
/** Most balances of a statement. */
const maxBalances = 1000

const messages = /camt\.05[234]\.001\.\d\d/

const newStatement = (): OpenStatement => ({ account: null, currency: null, balances: [] })

const signed = (balance: Element | undefined): string | null => {
  const amount = textOf(balance, 'Amt')
  if (!isAmount(amount)) return null
  return textOf(balance, 'CdtDbtInd') === 'DBIT' ? `-${amount}` : amount
}

/** The balance of a statement from its opening and closing ones; a text where these contradict each other. */
const readBalance = ({ account, currency, balances }: OpenStatement, line: number): StatementBalance | string => {
  const codeOf = (balance: Element): string => textOf(balance, 'Tp', 'CdOrPrtry', 'Cd') ?? ''
  const opening = balances.find((each) => ['OPBD', 'PRCD'].includes(codeOf(each)))
  const closing = balances.findLast((each) => codeOf(each) === 'CLBD')
  const [from, to] = [opening, closing].map((each) => find(each, 'Amt')?.currency ?? null)
  if (opening && closing && from !== to)
    return `The opening balance is in ${from ?? 'no currency'}, the closing one in ${to ?? 'none'}.`
  return {
    line,
    account,
    currency: from ?? to ?? currency,
    opening: signed(opening),
    closing: signed(closing),
    closedOn: (textOf(closing, 'Dt', 'Dt') ?? textOf(closing, 'Dt', 'DtTm'))?.slice(0, 10) ?? null,
    credits: null,
    debits: null,
  }
}

/** Reads camt.052, camt.053 and camt.054 of every version (ISO 20022). */
class CamtParser implements StatementParser, ElementSink {
  readonly #sink: StatementSink
  readonly #elements = new ElementReader(this)
  #statement = newStatement()
  #payments: Payment[] = []
  #isMessage = false
  #statements = 0

  constructor(sink: StatementSink) {
    this.#sink = sink
  }

  write(text: string): void {
    this.#elements.write(text)
  }

  end(): void {
    const last = this.#elements.line
    this.#elements.end()
    if (!this.#isMessage) throw refuseLine(1, 'The XML is not a camt.052, camt.053 or camt.054 message.')
    if (this.#statements === 0) throw refuseLine(last, 'The message has no statement in it.')
  }

  document(attributes: Readonly<Record<string, string>>): void {
    this.#isMessage = Object.values(attributes).some((value) => messages.test(value))
  }

  part(element: Element, line: number): void {
    if (element.name === 'Ntry') this.#takeEntry(element, line)
    else if (element.name === 'Bal') this.#takeBalance(element)
    else this.#takeAccount(element)
  }

  payment(element: Element, line: number): void {
    this.#payments.push(readPayment(element))
    if (this.#payments.length > maxPayments) throw refuseLine(line, 'The entry has more payments than can be read.')
  }

  statementEnd(line: number): void {
    const balance = readBalance(this.#statement, line)
    if (typeof balance === 'string') this.#sink.fault(line, balance)
    else this.#sink.balance(balance)
    this.#statement = newStatement()
    this.#statements++
  }

  #takeEntry(entry: Element, line: number): void {
    const rows = readEntry(entry, this.#payments, { line, account: this.#statement.account })
    this.#payments = []
    if (typeof rows === 'string') this.#sink.skip(rows)
    else if ('reason' in rows) this.#sink.fault(line, rows.reason)
    else for (const row of rows) this.#sink.row(row)
  }

  #takeBalance(balance: Element): void {
    this.#statement.balances.push(balance)
    if (this.#statement.balances.length > maxBalances)
      throw refuseLine(this.#elements.line, `The statement has more than ${maxBalances} balances.`)
  }

  #takeAccount(account: Element): void {
    this.#statement.account = accountOf(find(account, 'Id'))
    this.#statement.currency = readCurrency(textOf(account, 'Ccy'))
    if (this.#statement.account === null)
      this.#sink.fault(this.#elements.line, 'The statement does not name its account (Acct).')
  }
}

const charsets: Readonly<Record<string, StatementCharset>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'windows-1251': 'windows-1251',
  cp1251: 'windows-1251',
  ibm866: 'ibm866',
  cp866: 'ibm866',
  'iso-8859-1': 'iso-8859-1',
  'iso-8859-15': 'iso-8859-15',
  latin1: 'iso-8859-1',
  'windows-1252': 'iso-8859-1',
  'utf-16': 'utf-16le',
}

/** The character set that the operator gives, or the file declares. */
const charsetOf = ({ bytes, charset: guessed }: FileHead, given: GivenMapping): StatementCharset => {
  if (given.charset !== undefined) return given.charset
  if (guessed.startsWith('utf-16')) return guessed
  const text = new TextDecoder('iso-8859-1').decode(bytes)
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]
  if (declared === undefined) return 'utf-8'
  const charset = charsets[declared.toLowerCase()]
  if (charset === undefined) throw refuseLine(1, `The character set ${declared} is not one that is read.`)
  return charset
}

/** camt.052, camt.053 and camt.054, the statements of ISO 20022. */
export const camt: TextFormat = {
  detects: ({ text }) => /^\s*</.test(text),
  open: (head, given) => ({
    charset: charsetOf(head, given),
    mapping: null,
    channel: /camt\.05[234]/.exec(head.text)?.[0] ?? 'camt',
    parser: (sink) => new CamtParser(sink),
  }),
}
