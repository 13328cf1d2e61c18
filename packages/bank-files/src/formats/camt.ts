import type { GivenMapping } from '../tables/csv-mapping.ts'
import { readCurrency } from '../currency.ts'
import { isRunning } from '../running-reference.ts'
import type { FileHead, TextFormat } from '../format.ts'
import type {
  Booking,
  RowKind,
  SkippedRow,
  StatementBalance,
  StatementCharset,
  StatementParser,
  StatementRow,
  StatementSink,
} from '../statement.ts'
import { findPhone, joinTexts } from '../texts.ts'
import { FileFault, type LineFault } from '../file-fault.ts'
import {
  accountOf,
  joinPayments,
  notAmount,
  type Part,
  partsOf,
  type Payment,
  readAmount,
  readBalanceAmount,
  readPayment,
  type Reference,
  referenceOf,
} from './camt-payments.ts'
import { type Element, ElementReader, type ElementSink, find, textOf } from './element-reader.ts'

/** What is known of a statement before it ends. */
type OpenStatement = { account: string | null; currency: string | null; readonly balances: Balance[] }

type Balance = { readonly element: Element; readonly line: number }

/** Most payments per entry. */
const maxPayments = 100_000
/** Most balances per statement. */
const maxBalances = 1000

const messages = /camt\.05[234]\.001\.\d\d/

const newStatement = (): OpenStatement => ({ account: null, currency: null, balances: [] })

/** A balance as signed decimal text, which may have the noise of floating-point numbers. */
const signedAmount = ({ element, line }: Balance): { readonly amount: string } | LineFault => {
  const amount = readBalanceAmount(find(element, 'Amt'))
  if (amount === null) return { line, reason: notAmount('balance', find(element, 'Amt')) }
  const direction = textOf(element, 'CdtDbtInd')
  if (direction === 'DBIT') return { amount: `-${amount}` }
  if (direction === 'CRDT' || /^[0.]+$/.test(amount)) return { amount }
  return {
    line,
    reason: `The balance does not say whether it is a credit or a debit (CdtDbtInd): "${(direction ?? '').slice(0, 40)}". Export the file again, or ask the bank for a corrected one.`,
  }
}

/** The balance of a statement from its opening and closing ones, or what is wrong with them. */
const readBalance = (
  { account, currency, balances }: OpenStatement,
  line: number,
): { readonly balance: StatementBalance } | LineFault => {
  const codeOf = ({ element }: Balance): string => textOf(element, 'Tp', 'CdOrPrtry', 'Cd') ?? ''
  const opening = balances.find((each) => ['OPBD', 'PRCD'].includes(codeOf(each)))
  const closing = balances.findLast((each) => codeOf(each) === 'CLBD')
  const [before, after] = [opening, closing].map((each) => (each ? signedAmount(each) : { amount: null }))
  if (before && 'reason' in before) return before
  if (after && 'reason' in after) return after
  const [from, to] = [opening, closing].map((each) => find(each?.element, 'Amt')?.currency ?? null)
  if (opening && closing && from !== to)
    return {
      line,
      reason: `The opening balance is in ${from ?? 'no currency'}, the closing balance in ${to ?? 'no currency'}: ask the bank for a corrected file.`,
    }
  const closedOn = textOf(closing?.element, 'Dt', 'Dt') ?? textOf(closing?.element, 'Dt', 'DtTm')
  const balance = {
    ...{ line, account, currency: from ?? to ?? currency, credits: null, debits: null },
    ...{ opening: before?.amount ?? null, closing: after?.amount ?? null, closedOn: closedOn?.slice(0, 10) ?? null },
  }
  return { balance }
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
    if (!this.#isMessage)
      throw new FileFault(
        1,
        'The XML is not a camt.052, camt.053 or camt.054 message: choose another file, or ask the bank for one of these.',
      )
    if (this.#statements === 0)
      throw new FileFault(last, 'The message has no statement in it: export it again, or choose another file.')
  }

  document(attributes: Readonly<Record<string, string>>): void {
    this.#isMessage = Object.values(attributes).some((value) => messages.test(value))
  }

  part(element: Element, line: number): void {
    if (element.name === 'Ntry') this.#takeEntry(element, line)
    else if (element.name === 'Bal') this.#takeBalance({ element, line })
    else this.#takeAccount(element)
  }

  payment(element: Element, line: number): void {
    this.#payments.push(readPayment(element))
    if (this.#payments.length > maxPayments)
      throw new FileFault(
        line,
        `The entry has more than ${maxPayments} payments. Ask the bank to divide it into several entries.`,
      )
  }

  statementEnd(line: number): void {
    const found = readBalance(this.#statement, line)
    if ('reason' in found) this.#sink.fault(found.line, found.reason)
    else this.#sink.balance(found.balance)
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

  #takeBalance(balance: Balance): void {
    this.#statement.balances.push(balance)
    if (this.#statement.balances.length > maxBalances)
      throw new FileFault(
        this.#elements.line,
        `The statement has more than ${maxBalances} balances: export fewer days at a time.`,
      )
  }

  #takeAccount(account: Element): void {
    this.#statement.account = accountOf(find(account, 'Id'))
    this.#statement.currency = readCurrency(textOf(account, 'Ccy'))
    if (this.#statement.account === null)
      this.#sink.fault(
        this.#elements.line,
        'The statement does not name its account (Acct): ask the bank for a corrected file.',
      )
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

/** The character set that the operator specifies, or the one that the file declares. */
const charsetOf = ({ bytes, charset: guessed }: FileHead, given: GivenMapping): StatementCharset => {
  if (given.charset !== undefined) return given.charset
  if (guessed.startsWith('utf-16')) return guessed
  const text = new TextDecoder('iso-8859-1').decode(bytes)
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]
  if (declared === undefined) return 'utf-8'
  const charset = charsets[declared.toLowerCase()]
  if (charset === undefined)
    throw new FileFault(
      1,
      `The file says that its character set is ${declared}, which is not supported: choose one that fits.`,
    )
  return charset
}

/** camt.052, camt.053 and camt.054, the statements of ISO 20022. */
export const format: TextFormat = {
  detects: ({ text }) => /^\s*</.test(text),
  open: (head, given) => ({
    charset: charsetOf(head, given),
    mapping: null,
    channel: /camt\.05[234]/.exec(head.text)?.[0] ?? 'camt',
    parser: (sink) => new CamtParser(sink),
  }),
}

// A date may have a zone (xs:date); its day is the bank's.
const dateZone = /^(\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)$/

const kindOf = (status: string | null, isReversal: boolean): RowKind => {
  if (status !== null && status !== 'BOOK') return 'pending'
  return isReversal ? 'reversal' : 'booked'
}

/**
 * What distinguishes a payment from the others of its entry: a reference that no other has, or else its number among
 * them.
 */
const partReferences = (parts: readonly Part[], entryReference: string | null): (Reference | undefined)[] => {
  const counts = new Map<string, number>()
  for (const { reference } of parts.flatMap((part) => part.references))
    counts.set(reference, (counts.get(reference) ?? 0) + 1)
  return parts.map(({ references }, index) => {
    const unique = references.find(({ reference }) => reference !== entryReference && counts.get(reference) === 1)
    const shared = entryReference ?? references[0]?.reference
    if (unique || shared === undefined) return unique
    return { reference: `${shared}/${index + 1}`, referenceKind: 'part' }
  })
}

const wholeReference = (payment: Payment | undefined, entryReference: string | null): Reference | undefined => {
  const [own] = payment?.references ?? []
  if (own && own.reference !== entryReference) return own
  return entryReference === null ? undefined : { reference: entryReference, referenceKind: 'entry' }
}

/** The booking by which a sum in one file and its parts in another find each other; `parts` is the number of its rows. */
const bookingOf = (entry: Element, amount: string, parts: number): { booking: Booking } | undefined => {
  const named = referenceOf(entry, 'AcctSvcrRef') ?? referenceOf(entry, 'NtryRef')
  const reference = named === null || isRunning(named) ? null : named
  const count = Number(textOf(entry, 'NtryDtls', 'Btch', 'NbOfTxs') ?? Number.NaN)
  const payments = parts > 1 ? parts : Number.isSafeInteger(count) ? count : null
  if (reference === null && (payments ?? 0) < 2) return undefined
  return { booking: { reference, amount, payments } }
}

/** The rows of an entry: one for each of its payments if their amounts add up to its own, else one for all. */
const readEntry = (
  entry: Element,
  payments: readonly Payment[],
  { line, account }: Pick<StatementRow, 'line' | 'account'>,
): StatementRow[] | SkippedRow | { readonly reason: string } => {
  const money = find(entry, 'Amt')
  const amount = readAmount(money)
  const direction = textOf(entry, 'CdtDbtInd')
  const [booked] = ['BookgDt', 'ValDt'].flatMap(
    (name) => textOf(entry, name, 'DtTm') ?? textOf(entry, name, 'Dt')?.replace(dateZone, '$1') ?? [],
  )
  if (amount === null) return { reason: notAmount('entry', money) }
  if (direction !== 'CRDT' && direction !== 'DBIT')
    return {
      reason:
        'The entry does not say whether it is a credit or a debit (CdtDbtInd). Export the file again, or ask the bank for a corrected one.',
    }
  const status = textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts', 'Prtry') ?? textOf(entry, 'Sts')
  const kind = kindOf(status, /^(?:true|1)$/.test(textOf(entry, 'RvslInd') ?? ''))
  if (booked === undefined && kind === 'pending') return 'pending'
  if (booked === undefined)
    return {
      reason: 'The entry has no booking date (BookgDt). Export the file again, or ask the bank for a corrected one.',
    }
  // A note by the bank; it moves no money.
  if (/^[0.]+$/.test(amount)) return 'zero'
  const currency = money?.currency ?? null
  const entryReference = referenceOf(entry, 'AcctSvcrRef')
  const note = textOf(entry, 'AddtlNtryInf')
  const parts = partsOf(payments, amount, currency, direction === 'CRDT')
  const common = {
    ...{ line, account, kind, currency, booked, ...bookingOf(entry, amount, parts.length) },
    direction: direction === 'CRDT' ? 'credit' : 'debit',
  } as const
  // A reversal keeps the parties of the booking that it reverses.
  const isMoneyIn = (direction === 'CRDT') === (kind !== 'reversal')
  // A phone in the text of one payment is not the number of all.
  const isJoined = parts.length === 0 && payments.length > 1
  const toRow = (payment: Payment | undefined, own: string, reference: Reference | undefined): StatementRow => {
    const party = isMoneyIn ? payment?.debtor : payment?.creditor
    // The note is about the entry: among its payments, it is not known whose it is.
    const text = parts.length > 0 ? (payment?.text ?? note) : joinTexts(payment?.text ?? null, note)
    return {
      ...common,
      amount: own,
      reference: reference?.reference ?? null,
      referenceKind: reference?.referenceKind ?? null,
      number: payment?.number ?? null,
      counterparty: {
        name: party?.name ?? null,
        number: party?.phone ?? (isJoined ? null : findPhone(payment?.text ?? note)) ?? party?.account ?? null,
        bank: party?.bank ?? [],
      },
      text,
    }
  }
  if (parts.length > 0) {
    const references = partReferences(parts, entryReference)
    return parts.map((part, index) => toRow(part, part.amount, references[index]))
  }
  const whole = joinPayments(payments)
  return [toRow(whole, amount, wholeReference(whole, entryReference))]
}
