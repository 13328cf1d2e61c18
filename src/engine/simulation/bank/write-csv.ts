import { dotted, joinLines } from './write-exchange.ts'
import { currencyDecimals, formatDecimal } from '../../../rules/values/currency.ts'
import {
  changeOf,
  type SimulatedBooking,
  type SimulatedStatement,
  simulatedPayer,
} from '../../../rules/sandbox/simulated-statement.ts'
import { day as dayMs, minute, second } from '../../../rules/time.ts'

const header = [
  'Дата операции',
  'Время',
  'Сумма',
  'Валюта',
  'Номер счета',
  'Плательщик',
  'Банк плательщика',
  'Назначение платежа',
  'ID операции',
  'Статус',
]

const comma = (minor: bigint, currency: string): string =>
  formatDecimal(minor, currencyDecimals(currency)).replace('.', ',')

/** The time of day to the second, rounded up within its day: a file never makes money earlier than it was. */
const timeOf = ({ bookedAt }: SimulatedBooking, { utcOffsetMinutes }: SimulatedStatement): string => {
  const ofDay = (bookedAt + utcOffsetMinutes * minute) % dayMs
  return new Date(Math.min(Math.ceil(ofDay / second) * second, dayMs - second)).toISOString().slice(11, 19)
}

const writeRow = (booking: SimulatedBooking, statement: SimulatedStatement): string[] => [
  dotted(statement.day),
  timeOf(booking, statement),
  `${booking.isReversal ? '' : '+'}${comma(changeOf(booking), statement.currency)}`,
  statement.currency.toUpperCase(),
  statement.account,
  simulatedPayer.name,
  simulatedPayer.bank,
  simulatedPayer.text,
  booking.reference,
  booking.isReversal ? 'Сторно' : 'Исполнено',
]

/** The statements as CSV, with a semicolon between cells; a file with one account has its balances below the rows. */
export const writeCsv = function* (statements: readonly SimulatedStatement[]): Generator<string> {
  const [only, ...others] = statements
  const balances =
    only && others.length === 0
      ? [
          ['Входящий остаток', comma(only.opening, only.currency)],
          ['Исходящий остаток', comma(only.closing, only.currency)],
        ]
      : []
  const write = (row: readonly string[]): string => joinLines([row.join(';')])
  yield write(header)
  for (const each of statements) for (const booking of each.bookings) yield write(writeRow(booking, each))
  yield* balances.map(write)
}
