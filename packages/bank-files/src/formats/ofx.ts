import type { GivenMapping } from '../tables/csv-mapping.ts'
import { readCurrency } from '../currency.ts'
import { findPhone, joinTexts, letters, present, tidyText } from '../texts.ts'
import { isDate } from '../booked.ts'
import { FileFault } from '../file-fault.ts'
import type { StatementCharset, StatementParser, StatementRow, StatementSink } from '../statement.ts'
import type { FileHead, TextFormat } from '../format.ts'
import { guessCharset } from '../guess-charset.ts'
import { amountReadings, type DecimalMark, findMark } from './ofx-amount.ts'

/** A transaction with its elements; those of nested aggregates appear under both names. */
type Transaction = { readonly line: number; readonly fields: Map<string, string> }
type OpenStatement = {
  readonly name: string
  readonly line: number
  account: string | null
  currency: string | null
  closing: string | null
}

/** Longest run of text without a tag. */
const maxRun = 64 * 1024
/** Deepest nesting of aggregates; real files have less than ten levels. */
const maxDepth = 64
/** A text that has become this long takes no further ones. */
const maxMemo = 10_000
/** Most elements of a transaction. */
const maxFields = 200

const cure = 'Download the file again, or ask the bank for a corrected one.'

const statements = new Set(['STMTRS', 'CCSTMTRS'])
/** End tags at which a statement ends: some banks write that of the other kind, or leave its own out. */
const statementEnds = new Set([...statements, 'STMTTRNRS', 'CCSTMTTRNRS'])
/** Elements of a transaction that its aggregates do not have: one of these may lack its end tag. */
const ownElements = new Set([
  'TRNTYPE',
  'DTPOSTED',
  'TRNAMT',
  'FITID',
  'CHECKNUM',
  'REFNUM',
  'EXTDNAME',
  'MEMO',
  'MEMO2',
])
/** Elements whose texts are joined if a transaction has several. */
const joined = new Set(['MEMO', 'MEMO2'])
/** The aggregates whose elements have names that are also used elsewhere. */
const aggregates = new Set([
  ...statements,
  ...['STMTTRN', 'BANKACCTFROM', 'CCACCTFROM', 'BANKACCTTO', 'CCACCTTO', 'PAYEE', 'CURRENCY', 'ORIGCURRENCY'],
  ...['LEDGERBAL', 'AVAILBAL', 'INVSTMTRS'],
])

/** Tags, and where CDATA and comments begin and end. */
const marks = /\]\]>|-->|<!--|<!\[CDATA\[|<(\/?)([A-Za-z][\w.]{0,40})\s*\/?>/g
const ends: ReadonlyMap<string, string> = new Map([
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
])

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const plainText = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7}|x[\da-f]{1,6})|(\w{2,4}));/gi,
    (whole, code: string | undefined, name: string | undefined) =>
      code === undefined
        ? (entities[name ?? ''] ?? whole)
        : String.fromCodePoint(Math.min(Number(code.toLowerCase().replace('x', '0x')), 0x10_ff_ff)),
  )

/** An amount as a signed decimal text, or why it cannot be read; `what` has it. */
const readAmount = (
  [what, name]: readonly [what: string, name: string],
  text: string,
  mark: DecimalMark | undefined,
  currency: string | null,
): { readonly amount: string } | { readonly reason: string } => {
  const [amount, other] = amountReadings(text, mark, currency)
  const shown = `"${text.slice(0, 40)}"`
  if (text.trim() === '') return { reason: `The ${what} has no amount (${name}). Ask the bank for a corrected file.` }
  if (amount === undefined)
    return {
      reason: `The amount of the ${what} (${name}) is not a number: ${shown}. Ask the bank for a corrected file.`,
    }
  if (other === undefined) return { amount }
  return {
    reason: `The amount of the ${what} (${name}) ${shown} may be ${amount} or ${other}, and no amount near the beginning of the file shows which: ask the bank for amounts with two decimals, or import another format.`,
  }
}

const zoneOf = (zone: string | undefined): string => {
  // OFX says GMT, but banks leave the zone out and mean their own.
  if (zone === undefined) return ''
  const hours = Number(zone)
  if (!Number.isFinite(hours) || hours === 0) return 'Z'
  const minutes = Math.round(Math.abs(hours) * 60)
  const clock = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
  return `${hours < 0 ? '-' : '+'}${clock}`
}

/** `20260131120000.000[-5:EST]`; banks write midnight or noon if they have no time. */
const readTime = (text: string | undefined): string | null => {
  const [, year = '', month = '', dayOfMonth = '', clock, zone] =
    /^(\d{4})(\d\d)(\d\d)(\d{4,6})?(?:\.\d+)?\s*(?:\[([+-]?[\d.]+)(?::[^\]]*)?\])?$/.exec(text?.trim() ?? '') ?? []
  if (!isDate(Number(year), Number(month), Number(dayOfMonth))) return null
  const date = `${year}-${month}-${dayOfMonth}`
  if (clock === undefined || /^(?:00|12)0*$/.test(clock)) return date
  const [hours, minutes, seconds] = [clock.slice(0, 2), clock.slice(2, 4), clock.slice(4, 6).padEnd(2, '0')]
  return `${date}T${hours}:${minutes}:${seconds}${zoneOf(zone)}`
}

const noReference = /^(?:NONE|N\/A|0*|-*)$/i

/** The name of the other side and the text. The extended name is the whole name, or continues the text. */
const readTexts = (field: (...names: readonly string[]) => string | null) => {
  const [short, extended] = [field('PAYEE.NAME', 'NAME'), field('EXTDNAME')]
  const memo = tidyText(present(field('MEMO'), field('MEMO2')).join(' '))
  if (extended === null || letters(extended).startsWith(letters(short))) return { name: extended ?? short, text: memo }
  return { name: short, text: letters(short).includes(letters(extended)) ? memo : joinTexts(memo, extended) }
}

/** The row of a transaction, or why it is skipped or cannot be read. */
const readTransaction = (
  { line, fields }: Transaction,
  { account, currency: statementCurrency }: OpenStatement,
  mark: DecimalMark | undefined,
): StatementRow | 'zero' | { readonly reason: string } => {
  const field = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const text = tidyText(fields.get(name))
      if (text !== null) return text
    }
    return null
  }
  // CURRENCY is the currency of the amount; ORIGCURRENCY the one that it was converted from.
  const currency = readCurrency(fields.get('CURRENCY.CURSYM')) ?? statementCurrency
  const found = readAmount(['transaction', 'TRNAMT'], fields.get('TRNAMT') ?? '', mark, currency)
  if ('reason' in found) return found
  const { amount } = found
  const posted = fields.get('DTPOSTED')
  const booked = readTime(posted)
  if (booked === null)
    return {
      reason:
        posted === undefined
          ? 'The transaction has no date (DTPOSTED). Ask the bank for a corrected file.'
          : `The date of the transaction (DTPOSTED) is not a day, such as 20260131: "${posted.slice(0, 40)}". Ask the bank for a corrected file.`,
    }
  if (/^[-+0.]*$/.test(amount)) return 'zero'
  const direction = amount.startsWith('-') ? 'debit' : 'credit'
  const type = field('TRNTYPE')?.toUpperCase()
  if ((type === 'CREDIT' || type === 'DEBIT') && type.toLowerCase() !== direction)
    return {
      reason: `The transaction is a ${type} (TRNTYPE), but the sign of its amount (TRNAMT ${amount}) says the opposite. Ask the bank for a corrected file.`,
    }
  const reference = field('FITID')
  const isReference = reference !== null && !noReference.test(reference)
  const { name, text } = readTexts(field)
  const counterAccount = field('BANKACCTTO.ACCTID', 'CCACCTTO.ACCTID')
  return {
    ...{ line, account, direction, booked, currency, text, kind: 'booked' },
    amount: amount.replace(/^[+-]/, ''),
    reference: isReference ? reference : null,
    referenceKind: isReference ? 'fitid' : null,
    number: field('CHECKNUM', 'REFNUM'),
    counterparty: {
      name,
      number: findPhone(text) ?? counterAccount,
      bank: [field('BANKACCTTO.BANKID')].filter((each) => each !== null),
    },
  }
}

/** Reads OFX and QFX: the SGML of version 1, whose elements need no end tags, and the XML of version 2. */
class OfxParser implements StatementParser {
  readonly #sink: StatementSink
  readonly #mark: DecimalMark | undefined
  #rest = ''
  #line = 1
  /** The element whose text is being read, and the line where it begins. */
  #open: { readonly name: string; readonly isCapital: boolean; readonly line: number; text: string } | undefined
  /** The mark that ends the CDATA or the comment that is being read. */
  #until: string | undefined
  readonly #path: string[] = []
  #statement: OpenStatement | undefined
  #transaction: Transaction | undefined
  #statements = 0
  #isEnded = false

  constructor(sink: StatementSink, mark: DecimalMark | undefined) {
    this.#sink = sink
    this.#mark = mark
  }

  write(text: string): void {
    const whole = this.#rest + text
    let from = 0
    for (const { index, 0: mark, 1: slash = '', 2: name } of whole.matchAll(marks)) {
      if (this.#isText(mark, slash, name)) continue
      this.#addText(whole.slice(from, index))
      from = index + mark.length
      this.#until = name === undefined ? ends.get(mark) : undefined
      if (name === undefined) continue
      this.#endElement()
      if (slash === '') this.#begin(name)
      else this.#end(name.toUpperCase())
    }
    this.#rest = whole.slice(from)
    if (this.#rest.length > maxRun)
      throw new FileFault(
        this.#line,
        `A text in the file is far too long, perhaps because its end tag is missing. ${cure}`,
      )
  }

  end(): void {
    this.#addText(this.#rest)
    if (this.#statements === 0)
      throw new FileFault(
        this.#line,
        'The file has no statement of an account or a card in it (STMTRS, CCSTMTRS): export it again.',
      )
    if (!this.#isEnded)
      throw new FileFault(this.#line, 'The file is cut off: its last tag (</OFX>) is missing. Download it again.')
  }

  /** Whether a mark is text: in CDATA, or a name in small letters in an element whose own name is in capitals. */
  #isText(mark: string, slash: string, name: string | undefined): boolean {
    if (this.#until !== undefined) return mark !== this.#until
    if (name === undefined) return !ends.has(mark)
    const capital = name.toUpperCase()
    if (!this.#open?.isCapital || name === capital) return false
    return slash === '' || capital !== this.#open.name
  }

  #addText(text: string): void {
    if (this.#open && this.#until !== '-->') this.#open.text += text
    this.#line += text.match(/\n/g)?.length ?? 0
  }

  #begin(written: string): void {
    const name = written.toUpperCase()
    // A file may contain several documents, and the last may be cut off.
    this.#isEnded = false
    if (aggregates.has(name)) this.#path.push(name)
    if (this.#path.length > maxDepth)
      throw new FileFault(this.#line, `Elements are nested deeper than ${maxDepth} levels, or do not end. ${cure}`)
    if (statements.has(name)) {
      this.#refuseOpen(`<${name}>`)
      this.#statement = { name, line: this.#line, account: null, currency: null, closing: null }
      this.#statements++
    } else if (name === 'STMTTRN') {
      if (this.#transaction) this.#refuseOpen('<STMTTRN>')
      this.#transaction = { line: this.#line, fields: new Map() }
    } else if (!aggregates.has(name)) this.#open = { name, isCapital: name === written, line: this.#line, text: '' }
  }

  #endElement(): void {
    const element = this.#open
    this.#open = undefined
    if (!element) return
    const value = plainText(element.text).trim()
    if (value === '') return
    const parent = this.#path.at(-1) ?? ''
    if (this.#transaction) {
      if (this.#transaction.fields.size > maxFields)
        throw new FileFault(element.line, `The transaction has more than ${maxFields} elements. ${cure}`)
      const name = parent === 'STMTTRN' || ownElements.has(element.name) ? element.name : `${parent}.${element.name}`
      const before = this.#transaction.fields.get(name)
      if (before === undefined) this.#transaction.fields.set(name, value)
      else if (joined.has(name) && before.length < maxMemo) this.#transaction.fields.set(name, `${before} ${value}`)
    } else if (this.#statement) this.#takeField(this.#statement, parent, element, value)
  }

  #takeField(
    statement: OpenStatement,
    parent: string,
    { name, line }: { readonly name: string; readonly line: number },
    value: string,
  ): void {
    if (name === 'CURDEF') statement.currency = readCurrency(value)
    if (name === 'ACCTID' && parent.endsWith('ACCTFROM')) statement.account = tidyText(value)
    if (name !== 'BALAMT' || parent !== 'LEDGERBAL') return
    const balance = readAmount(['balance', 'BALAMT'], value, this.#mark, statement.currency)
    if ('amount' in balance) statement.closing = balance.amount.replace('+', '')
    else this.#sink.fault(line, balance.reason)
  }

  #end(name: string): void {
    if (name === 'OFX') {
      this.#refuseOpen('</OFX>')
      this.#isEnded = true
    }
    const at = this.#path.lastIndexOf(name)
    if (at >= 0) this.#path.length = at
    if (name === 'STMTTRN' && at >= 0) this.#endTransaction()
    else if (statementEnds.has(name)) this.#endStatement(name)
  }

  /** Refuses a file in which a transaction or statement is open and should have ended before the tag `next`. */
  #refuseOpen(next: string): void {
    const open = this.#transaction ? { ...this.#transaction, name: 'STMTTRN' } : this.#statement
    if (!open) return
    const what = this.#transaction ? 'transaction' : 'statement'
    const reason = `The ${what} that began on line ${open.line} (${open.name}) has no end tag (</${open.name}>) before ${next} on line ${this.#line}: download the file again, or ask the bank for a corrected one.`
    throw new FileFault(open.line, reason)
  }

  #endTransaction(): void {
    const transaction = this.#transaction
    this.#transaction = undefined
    if (!transaction) return
    if (!this.#statement) {
      // Only investment transactions are left out.
      if (!this.#path.includes('INVSTMTRS'))
        this.#sink.fault(
          transaction.line,
          'The transaction is in no statement of an account or a card (STMTRS, CCSTMTRS). Ask the bank for a corrected file.',
        )
      return
    }
    const row = readTransaction(transaction, this.#statement, this.#mark)
    if (row === 'zero') this.#sink.skip(row)
    else if ('reason' in row) this.#sink.fault(transaction.line, row.reason)
    else this.#sink.row(row)
  }

  #endStatement(by: string): void {
    const statement = this.#statement
    if (!statement) return
    if (this.#transaction) this.#refuseOpen(`</${by}>`)
    this.#statement = undefined
    this.#path.length = 0
    const { account, currency, closing } = statement
    // The balance is as of the creation of the file, which need not be the end of a day.
    this.#sink.balance({ line: this.#line, account, currency, opening: null, closing, credits: null, debits: null })
  }
}

const declared: Readonly<Record<string, StatementCharset>> = {
  '1252': 'iso-8859-1',
  '8859-1': 'iso-8859-1',
  'iso-8859-1': 'iso-8859-1',
  '1251': 'windows-1251',
  'utf-8': 'utf-8',
}

/** The character set that the operator specifies or the file declares; valid UTF-8 is read as UTF-8 regardless. */
const charsetOf = ({ bytes, text, charset }: FileHead, given: GivenMapping): StatementCharset => {
  if (given.charset !== undefined) return given.charset
  const isPlain = bytes.every((byte) => byte < 0x80)
  if (charset.startsWith('utf') && !isPlain) return charset
  const named = /(?:CHARSET:|ENCODING:|encoding=["'])\s*(1252|1251|UTF-8|(?:ISO-)?8859-1)/i.exec(
    text.slice(0, 2000),
  )?.[1]
  return declared[named?.toLowerCase() ?? ''] ?? guessCharset(bytes)
}

/** A text without the instructions (`<?…>`) and comments (`<!--…-->`) at its beginning. */
const withoutProlog = (text: string): string => {
  let at = 0
  for (;;) {
    while (at < text.length && text.charAt(at).trim() === '') at++
    const ending = text.startsWith('<?', at) ? '>' : text.startsWith('<!--', at) ? '-->' : undefined
    const end = ending === undefined ? -1 : text.indexOf(ending, at + 2)
    if (ending === undefined || end < 0) return text.slice(at)
    at = end + ending.length
  }
}

/** OFX, and QFX, its variant for one program. */
export const format: TextFormat = {
  detects: ({ text }) => /^(?:OFXHEADER\s*:|DATA\s*:\s*OFXSGML|<OFX>)/i.test(withoutProlog(text).slice(0, 100)),
  open: (head, given) => ({
    charset: charsetOf(head, given),
    mapping: null,
    channel: 'ofx',
    parser: (sink) => new OfxParser(sink, findMark(head.text)),
  }),
}
