import {
  findPhone,
  isDate,
  plainAccount,
  refuseLine,
  type StatementParser,
  type StatementSink,
  tidyText,
  told,
} from '../../domain/statement.ts'
import { splitLines } from './split-lines.ts'

type Section = { readonly line: number; readonly name: string; readonly fields: Map<string, string> }
type Turnover = {
  line: number
  opening: string | null
  closing: string | null
  closedOn: string | null
  credits: bigint | null
  debits: bigint | null
}

const amountPattern = /^-?\d{1,15}(?:[.,]\d{1,2})?$/
const normalAmount = (text: string | undefined): string | null => {
  const plain = (text ?? '').replace(/[\s\u00a0]/g, '')
  return amountPattern.test(plain) ? plain.replace(',', '.') : null
}

const toHundredths = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}
const fromHundredths = (value: bigint): string => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`

const isoDate = (text: string | undefined): string | null => {
  const [, dayOfMonth = '', month = '', year = ''] = /^(\d\d)\.(\d\d)\.(\d{4})$/.exec(text?.trim() ?? '') ?? []
  return isDate(Number(year), Number(month), Number(dayOfMonth)) ? `${year}-${month}-${dayOfMonth}` : null
}

// Digits 6 to 8 of a Russian account number; roubles have two codes.
const currencies: Readonly<Record<string, string>> = {
  810: 'rub',
  643: 'rub',
  840: 'usd',
  978: 'eur',
  156: 'cny',
  398: 'kzt',
  933: 'byn',
}
const currencyOf = (account: string): string | null =>
  /^\d{20}$/.test(account) ? (currencies[account.slice(5, 8)] ?? null) : null

const sum = (known: bigint | null, text: string | undefined): bigint | null => {
  const amount = normalAmount(text)
  return amount === null || amount.startsWith('-') ? known : (known ?? 0n) + toHundredths(amount)
}

/** Reads 1CClientBankExchange of every version, whose fields are `Name=value`, a line each. */
export const parse1c = (sink: StatementSink): StatementParser => {
  const own = new Map<string, Turnover>()
  let section: Section | undefined
  let isEnded = false

  const turnoverOf = (account: string, line: number): Turnover => {
    const known = own.get(account) ?? {
      line,
      opening: null,
      closing: null,
      closedOn: null,
      credits: null,
      debits: null,
    }
    own.set(account, known)
    return known
  }

  const endAccount = ({ line, fields }: Section): void => {
    const account = plainAccount(fields.get('РасчСчет') ?? '')
    if (account === '') return sink.fault(line, 'The section of an account does not name it (РасчСчет).')
    const turnover = turnoverOf(account, line)
    const opening = normalAmount(fields.get('НачальныйОстаток'))
    // A file may hold a section for each day; the first balance opens and the last one closes.
    turnover.opening ??= opening
    const closing = normalAmount(fields.get('КонечныйОстаток'))
    if (closing !== null) {
      turnover.closing = closing
      turnover.closedOn = isoDate(fields.get('ДатаКонца'))
    }
    turnover.credits = sum(turnover.credits, fields.get('ВсегоПоступило'))
    turnover.debits = sum(turnover.debits, fields.get('ВсегоСписано'))
  }

  const endDocument = ({ line, fields }: Section): void => {
    const field = (...names: readonly string[]): string | null => {
      for (const name of names) {
        const value = tidyText(fields.get(name))
        if (value !== null) return value
      }
      return null
    }
    const amount = normalAmount(fields.get('Сумма'))
    if (amount === null || /^-|^[0.]+$/.test(amount))
      return sink.fault(line, 'The document has no amount (Сумма) above zero.')
    const payer = plainAccount(field('ПлательщикСчет', 'ПлательщикРасчСчет') ?? '')
    const payee = plainAccount(field('ПолучательСчет', 'ПолучательРасчСчет') ?? '')
    const sides = [
      { account: payee, direction: 'credit', dates: ['ДатаПоступило', 'Дата'] },
      { account: payer, direction: 'debit', dates: ['ДатаСписано', 'Дата'] },
    ] as const
    const ours = sides.filter(({ account }) => own.has(account))
    if (ours.length === 0) return sink.fault(line, 'The document is of none of the accounts of this file.')
    const text = field('НазначениеПлатежа', 'НазначениеПлатежа1')
    for (const { account, direction, dates } of ours) {
      const date = field(...dates)
      const booked = isoDate(date ?? undefined)
      if (booked === null) {
        sink.fault(line, `The document has no date of booking (${dates[0]})${date ? `: ${date}` : ''}.`)
        continue
      }
      sink.row({
        line,
        account,
        direction,
        kind: 'booked',
        currency: currencyOf(account),
        amount,
        booked,
        reference: null,
        number: [field('Номер'), field('Дата')].filter((part) => part !== null).join(' ') || null,
        payerName: field('Плательщик1', 'Плательщик'),
        payerNumber: findPhone(text) ?? (payer === '' ? null : payer),
        payerBank: told(field('ПлательщикБИК'), field('ПлательщикБанк1')),
        text,
      })
    }
  }

  const take = (raw: string, line: number): void => {
    const text = raw.trim()
    if (text === '' || isEnded) return
    const at = text.indexOf('=')
    const name = at < 0 ? text : text.slice(0, at).trim()
    const value = at < 0 ? '' : text.slice(at + 1).trim()
    if (name === 'КонецФайла') {
      if (section) throw refuseLine(line, `The file ends inside a section that began on line ${section.line}.`)
      isEnded = true
    } else if (name === 'СекцияРасчСчет' || name === 'СекцияДокумент') {
      if (section) throw refuseLine(line, `A section begins inside another one, which began on line ${section.line}.`)
      section = { line, name, fields: new Map() }
    } else if (name === 'КонецРасчСчет' || name === 'КонецДокумента') {
      const expected = name === 'КонецРасчСчет' ? 'СекцияРасчСчет' : 'СекцияДокумент'
      if (section?.name !== expected) throw refuseLine(line, `A section ends (${name}) that had not begun.`)
      const ended = section
      section = undefined
      if (expected === 'СекцияРасчСчет') endAccount(ended)
      else endDocument(ended)
    } else if (section) {
      if (at < 0) return sink.fault(line, 'The line is no field (Name=value) of its section.')
      if (section.fields.size > 500) throw refuseLine(line, 'The section has more fields than can be read.')
      if (!section.fields.has(name)) section.fields.set(name, value)
    } else if (name === 'РасчСчет' && value !== '') turnoverOf(plainAccount(value), line)
  }

  const lines = splitLines(take)
  return {
    write: lines.write,
    end: () => {
      const last = lines.end()
      if (!isEnded) throw refuseLine(last, 'The file is cut off: its last line (КонецФайла) is missing.')
      if (own.size === 0) throw refuseLine(last, 'The file does not name its account (РасчСчет).')
      for (const [account, { line, opening, closing, closedOn, credits, debits }] of own) {
        sink.balance({
          ...{ line, account, currency: currencyOf(account), opening, closing, closedOn },
          credits: credits === null ? null : fromHundredths(credits),
          debits: debits === null ? null : fromHundredths(debits),
        })
      }
    },
  }
}
