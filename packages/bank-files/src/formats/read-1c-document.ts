import { accountCurrency, readCurrency } from '../currency.ts'
import { findPhone, letters, plainAccount, present, tidyText } from '../texts.ts'
import type { StatementRow, StatementSink } from '../statement.ts'
import { day } from '../booked.ts'
import { type Days, fieldOf, readTime, type Section } from './section-of-1c.ts'

/** The accounts of a file: `only` is its only one, and empty if the file names none. */
export type FileAccounts = {
  readonly only: string | undefined
  readonly isOwn: (account: string) => boolean
  readonly daysOf: (account: string) => Days | null
  /** Notes that a document was read by the days of its account. */
  readonly noteReadBy: (account: string, days: Days) => void
  /** Transfers between own accounts whose other half may still follow. */
  readonly halves: Set<string>
}

const cure = 'Export the file again, or ask the bank for a corrected one.'

const isNothing = (amount: string | null): boolean => amount === null || /^[0.]+$/.test(amount)

/** The party on one side of a document; field names as in Russia and in Kazakhstan. */
const readSide = (section: Section, side: 'Плательщик' | 'Получатель') => {
  const field = (...names: readonly string[]) => fieldOf(section, ...names.map((name) => `${side}${name}`))
  return {
    account: plainAccount(field('Счет', 'РасчСчет', 'ИИК') ?? ''),
    // The second to fourth lines are an account and a bank.
    name: field('1', '', 'Наименование'),
    bank: present(field('БИК', 'БанкБИК'), field('Банк1', 'БанкНаименование')),
  }
}

/** The purpose: the whole one and its numbered lines usually repeat each other. */
const readPurpose = (section: Section): string | null => {
  const name = 'НазначениеПлатежа'
  const whole = fieldOf(section, name)
  const lines = present(...[1, 2, 3, 4, 5, 6].map((line) => fieldOf(section, `${name}${line}`))).join(' ')
  if (whole !== null && letters(whole).includes(letters(lines))) return whole
  return tidyText(whole === null || letters(lines).includes(letters(whole)) ? lines : `${whole} ${lines}`)
}

const bookings = {
  credit: { own: 'ДатаПоступило', other: 'ДатаСписано', event: 'arrived' },
  debit: { own: 'ДатаСписано', other: 'ДатаПоступило', event: 'left' },
} as const

/** Whether a date is before the document was written or, for money in, before the payer was debited. */
const isBefore = (section: Section, date: string, direction: 'credit' | 'debit'): boolean =>
  ['Дата', 'ДатаДокумента', ...(direction === 'credit' ? ['ДатаСписано'] : [])].some(
    (name) => (readTime(section.fields.get(name)) ?? date).slice(0, 10) > date,
  )

/** A row of which nobody knows the day must be found again under its day, in another file (`movedMs`). */
const maxDays = 5

/** The last of some days, if they are few and the money may have moved on it. */
const lastOf = (section: Section, days: Days, direction: 'credit' | 'debit'): string | undefined => {
  const count = 1 + (Date.parse(days.last) - Date.parse(days.first)) / day
  return count <= maxDays && !isBefore(section, days.last, direction) ? days.last : undefined
}

/**
 * When a document moved the money of an account: its date for this side of the transfer, else the only day of the
 * statement, else the other side's date, unless money would arrive before the statement begins, else some day of the
 * statement, of which the last one is taken. The document's own date (Дата) may be days earlier.
 */
const readBooked = (
  section: Section,
  direction: 'credit' | 'debit',
  findDays: () => Days | null,
): (Pick<StatementRow, 'booked' | 'isDayUnknown'> & { readonly readBy?: Days }) | { readonly reason: string } => {
  const { own, other, event } = bookings[direction]
  const date = fieldOf(section, own, 'ДатаОперации')
  const days = date === null ? findDays() : null
  if (days !== null && days.first === days.last && !isBefore(section, days.first, direction))
    return { booked: days.first, readBy: days }
  const written = date ?? fieldOf(section, other)
  const booked = readTime(written ?? undefined)
  if (written !== null && booked === null)
    return {
      reason: `The date of booking of the document (${own}) is not a day, such as 31.01.2026: "${written}". ${cure}`,
    }
  if (booked !== null && (direction === 'debit' || days === null || booked >= days.first)) return { booked }
  const last = days === null ? undefined : lastOf(section, days, direction)
  if (days !== null && last !== undefined) return { booked: last, isDayUnknown: true, readBy: days }
  return {
    reason: `The document does not say on which day the money ${event} (${own}), and the days of the file (ДатаНачала, ДатаКонца) do not show it: export each day as a separate file, or at most ${maxDays} days at a time.`,
  }
}

/** The direction that only the sums or, if the file names no account, the dates of a document say. */
const readDirection = (section: Section, only: string | undefined): 'credit' | 'debit' | undefined => {
  if (!isNothing(fieldOf(section, 'СуммаПриход'))) return 'credit'
  if (!isNothing(fieldOf(section, 'СуммаРасход'))) return 'debit'
  // Some banks give the date of the debit for incoming money, too.
  const isArrival = fieldOf(section, 'ДатаПоступило') !== null && fieldOf(section, 'ДатаСписано') === null
  return only === '' && isArrival ? 'credit' : undefined
}

/** The own accounts that a document moves money of. */
const readMoves = (section: Section, { isOwn, only }: FileAccounts) => {
  const [payer, payee] = [readSide(section, 'Плательщик'), readSide(section, 'Получатель')]
  const sides = [
    { own: payee, direction: 'credit', other: payer },
    { own: payer, direction: 'debit', other: payee },
  ] as const
  const direction = readDirection(section, only)
  return sides.flatMap((side) => {
    if (direction !== undefined && side.direction !== direction) return []
    if (isOwn(side.own.account)) return [{ ...side, account: side.own.account }]
    return direction !== undefined && only !== undefined ? [{ ...side, account: only }] : []
  })
}

/**
 * Whether a transfer between own accounts was listed before: banks list it once for each account, or once for both.
 * Its first listing is read as both rows.
 */
const isOtherHalf = (
  section: Section,
  moves: readonly { readonly account: string }[],
  halves: FileAccounts['halves'],
): boolean => {
  const numbers = ['Номер', 'НомерДокумента', 'Дата', 'ДатаДокумента', 'Сумма'].map((name) => fieldOf(section, name))
  const key = JSON.stringify([...numbers, ...moves.map(({ account }) => account)])
  if (halves.delete(key)) return true
  halves.add(key)
  return false
}

/**
 * Gives the rows of a document to the sink: one for each of the file's own accounts whose money it moves. In Kazakhstan
 * the sum field gives the direction (СуммаПриход, СуммаРасход), and the row belongs to the file's only account if the
 * document names another.
 */
export const read1cDocument = (section: Section, accounts: FileAccounts, sink: StatementSink): void => {
  const { line } = section
  const field = (...names: readonly string[]) => fieldOf(section, ...names)
  const [income, expense] = [field('СуммаПриход'), field('СуммаРасход')]
  const sums = [income, expense].filter((sum) => !isNothing(sum))
  if (sums.length > 1)
    return sink.fault(line, `The document has both an incoming and an outgoing sum (СуммаПриход, СуммаРасход). ${cure}`)
  const amount = sums[0] ?? field('Сумма') ?? income ?? expense
  if (amount !== null && isNothing(amount)) return sink.skip('zero')
  if (amount === null || amount.startsWith('-'))
    return sink.fault(line, `The document has no amount (Сумма) above zero. ${cure}`)
  const moves = readMoves(section, accounts)
  if (moves.length === 0)
    return sink.fault(
      line,
      accounts.only === ''
        ? 'The file does not name its account, so it is not known whether this money came in or went out: write РасчСчет= and the number of the account on the second line of the file.'
        : `The document is of none of the accounts of this file (РасчСчет). ${cure}`,
    )
  if (moves.length > 1 && isOtherHalf(section, moves, accounts.halves)) return
  const text = readPurpose(section)
  const number = field('Номер', 'НомерДокумента')
  for (const { account, direction, other } of moves) {
    const found = readBooked(section, direction, () => accounts.daysOf(account))
    if ('reason' in found) {
      sink.fault(line, found.reason)
      continue
    }
    const { readBy, ...booked } = found
    if (readBy) accounts.noteReadBy(account, readBy)
    sink.row({
      ...{ line, kind: 'booked', direction, amount, reference: null, referenceKind: null, text, ...booked },
      account: account === '' ? null : account,
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
