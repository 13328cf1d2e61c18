import {
  findPhone,
  isDate,
  refuseLine,
  type StatementParser,
  type StatementRow,
  type StatementSink,
  tidyText,
  told,
} from '../../domain/statement.ts'
import { splitLines } from './split-lines.ts'

type Field = { readonly tag: string; readonly line: number; text: string }
type Entry = Omit<StatementRow, 'payerName' | 'payerNumber' | 'payerBank' | 'text'> & { readonly owner: string | null }
type Balance = { readonly amount: string; readonly currency: string; readonly day: string | null }

const balancePattern = /^([CD])(\d{6})([A-Z]{3})(\d{1,15},\d{0,3})$/
const entryPattern = /^(\d{6})(\d{4})?(R[CD]|E[CD]|[CD])([A-Z])?(\d{1,15},\d{0,3})([A-Z][A-Z0-9 ]{3})?(.*)$/s
const noReference = /^(?:NONREF|NOREF|NOTPROVIDED|-*|0*)$/i
/** Longest text of one field; SWIFT allows six lines of 65. */
const maxFieldLength = 16 * 1024

const decimal = (amount: string): string => amount.replace(',', '.').replace(/\.$/, '')

const isoDate = (text: string): string | null => {
  const [year, month, dayOfMonth] = [
    2000 + Number(text.slice(0, 2)),
    Number(text.slice(2, 4)),
    Number(text.slice(4, 6)),
  ]
  return isDate(year, month, dayOfMonth) ? `${year}-${text.slice(2, 4)}-${text.slice(4, 6)}` : null
}

/** The day of booking: the entry date, whose year is that of the value date or a neighbour of it. */
const bookedOn = (valueDate: string, entryDate: string | undefined): string | null => {
  if (entryDate === undefined) return isoDate(valueDate)
  const month = Number(valueDate.slice(2, 4))
  const entryMonth = Number(entryDate.slice(0, 2))
  const shift = month === 12 && entryMonth === 1 ? 1 : month === 1 && entryMonth === 12 ? -1 : 0
  return isoDate(String(Number(valueDate.slice(0, 2)) + shift).padStart(2, '0') + entryDate)
}

type Told = Pick<StatementRow, 'payerName' | 'payerNumber' | 'payerBank' | 'text'>

const noTold: Told = { payerName: null, payerNumber: null, payerBank: [], text: null }

/** The parts of the text for the owner: `?20…` or `/NAME/…` where the bank divides it so, else the text as it is. */
const readOwnerText = (text: string): Told => {
  const flat = text.replace(/\n/g, '')
  const coded = new Map<string, string>()
  for (const [, code = '', value = ''] of flat.matchAll(/\?(\d\d)([^?]*)/g))
    coded.set(code, (coded.get(code) ?? '') + value)
  if (coded.has('20') || coded.has('32') || coded.has('00')) {
    const parts = [...coded].filter(([code]) => /^(?:2\d|6[0-3])$/.test(code)).map(([, value]) => value)
    const said = tidyText(parts.join('')) ?? tidyText(coded.get('00'))
    const name = tidyText(`${coded.get('32') ?? ''}${coded.get('33') ?? ''}`)
    const payerNumber = tidyText(coded.get('38') ?? coded.get('31'))
    return { payerName: name, payerNumber, payerBank: told(tidyText(coded.get('30'))), text: said }
  }
  const slashed = new Map<string, string>()
  for (const [, code = '', value = ''] of flat.matchAll(
    /\/(NAME|IBAN|REMI|ORDP|CNTP|EREF|ABWA)\/(.*?)(?=\/(?:[A-Z]{4})\/|$)/g,
  ))
    slashed.set(code, value)
  if (slashed.size > 0) {
    const counterparty = slashed.get('CNTP')?.split('/')
    return {
      payerName: tidyText(slashed.get('NAME') ?? counterparty?.[2]),
      payerNumber: tidyText(slashed.get('IBAN') ?? counterparty?.[0]),
      payerBank: told(tidyText(counterparty?.[1])),
      text: tidyText(slashed.get('REMI') ?? flat),
    }
  }
  return { ...noTold, text: tidyText(text) }
}

/** Reads MT940 and MT942 (SWIFT), with or without its blocks; fields that banks add of their own are passed over. */
export const parseMt940 = (sink: StatementSink): StatementParser => {
  let field: Field | undefined
  let account: string | null = null
  let opening: Balance | null = null
  let isOpen = false
  let currency: string | null = null
  let intraday = false
  let credits: string | null = null
  let debits: string | null = null
  let entry: Entry | undefined
  let messages = 0

  const endEntry = (owned: Told): void => {
    if (!entry) return
    const { owner, ...rest } = entry
    const text = owned.text ?? owner
    sink.row({ ...rest, ...owned, payerNumber: findPhone(text) ?? owned.payerNumber, text })
    entry = undefined
  }

  const readBalance = ({ line, text }: Field): Balance | undefined => {
    const [, sign, date = '', code = '', amount = ''] = balancePattern.exec(text.trim()) ?? []
    if (sign === undefined) {
      sink.fault(line, 'The balance is not one of MT940 (C or D, date, currency, amount with a comma).')
      return undefined
    }
    return { amount: `${sign === 'D' ? '-' : ''}${decimal(amount)}`, currency: code.toLowerCase(), day: isoDate(date) }
  }

  const readEntry = ({ line, text }: Field): void => {
    const [first = '', ...more] = text.split('\n')
    const [, valueDate = '', entryDate, mark = '', , amount = '', , references = ''] = entryPattern.exec(first) ?? []
    if (mark === '') return sink.fault(line, 'The row (:61:) is not one of MT940.')
    const booked = bookedOn(valueDate, entryDate)
    if (booked === null) return sink.fault(line, `The row has no valid date: ${entryDate ?? valueDate}.`)
    const [customer = '', bank = ''] = references.split('//')
    if (/^[0.]+$/.test(decimal(amount))) return
    entry = {
      line,
      account,
      // RC takes a credit back, so money leaves; RD takes a debit back.
      direction: mark === 'C' || mark === 'RD' || mark === 'EC' ? 'credit' : 'debit',
      kind: mark.startsWith('E') ? 'pending' : mark.startsWith('R') ? 'reversal' : 'booked',
      currency,
      amount: decimal(amount),
      booked,
      reference: noReference.test(bank.trim()) ? null : tidyText(bank),
      number: noReference.test(customer.trim()) ? null : tidyText(customer),
      owner: tidyText(more.join(' ')),
    }
  }

  const endStatement = (line: number, closing: Balance | null): void => {
    if (opening && closing && opening.currency !== closing.currency) {
      sink.fault(line, `The opening balance is in ${opening.currency}, the closing one in ${closing.currency}.`)
    } else {
      sink.balance({
        ...{ line, account, currency: currency ?? closing?.currency ?? null, credits, debits },
        opening: opening?.amount ?? null,
        closing: closing?.amount ?? null,
        closedOn: closing?.day ?? null,
      })
    }
    opening = null
    credits = null
    debits = null
    isOpen = false
    intraday = false
    currency = null
  }

  /** What a field before a row or a balance requires. */
  const needsStatement = (line: number): void => {
    if (!isOpen) throw refuseLine(line, 'A row or balance stands before the statement begins (:20:).')
    if (account === null) throw refuseLine(line, 'The statement does not name its account (:25:).')
  }

  const endField = (): void => {
    const done = field
    field = undefined
    if (!done) return
    const { tag, line, text } = done
    if (tag === '86' && entry) return endEntry(readOwnerText(text))
    if (tag === 'NS' && entry) return
    endEntry(noTold)
    if (tag === '20') {
      if (isOpen && !intraday)
        throw refuseLine(line, 'A statement begins before the one before it has its closing balance (:62F:).')
      if (isOpen) endStatement(line, null)
      isOpen = true
      account = null
      messages++
    } else if (/^25P?$/.test(tag)) account = tidyText(text.split('\n')[0])
    else if (/^60[FM]$/.test(tag)) {
      needsStatement(line)
      opening = readBalance(done) ?? null
      currency = opening?.currency ?? null
    } else if (tag === '34F' || tag === '13D') {
      intraday = true
      if (tag === '34F') currency = /^[A-Z]{3}/.exec(text)?.[0].toLowerCase() ?? currency
    } else if (tag === '61') {
      needsStatement(line)
      readEntry(done)
    } else if (/^62[FM]$/.test(tag)) {
      needsStatement(line)
      const closing = readBalance(done)
      // An intermediate balance (:62M:) is not that of the day's end.
      if (closing) endStatement(line, tag === '62F' ? closing : { ...closing, day: null })
      else isOpen = false
    } else if (tag === '90C' || tag === '90D') {
      const [, amount] = /^\d{1,5}[A-Z]{3}(\d{1,15},\d{0,3})$/.exec(text.trim()) ?? []
      if (amount === undefined) sink.fault(line, 'The sum (:90:) is not one of MT942.')
      else if (tag === '90C') credits = decimal(amount)
      else debits = decimal(amount)
    }
  }
  const take = (raw: string, line: number): void => {
    const text = raw.trimEnd()
    const [, tag, rest = ''] = /^(?:\{4:)?:([0-9A-Z]{2,3}):(.*)$/.exec(text) ?? []
    if (tag !== undefined) {
      endField()
      field = { tag, line, text: rest }
      return
    }
    if (/^-(?:\}|[A-Z]{0,3}$)/.test(text)) {
      endField()
      endEntry(noTold)
      return
    }
    if (!field) return
    field.text += `\n${text}`
    if (field.text.length > maxFieldLength) throw refuseLine(line, 'The field is far too long.')
  }

  const lines = splitLines(take)
  return {
    write: lines.write,
    end: () => {
      const last = lines.end()
      endField()
      endEntry(noTold)
      if (messages === 0) throw refuseLine(last, 'The file has no statement in it (:20:).')
      if (isOpen && !intraday) throw refuseLine(last, 'The file is cut off: the closing balance (:62F:) is missing.')
      if (isOpen) endStatement(last, null)
    },
  }
}
