import { joinLines } from './write-exchange.ts'
import { currencyDecimals, formatDecimal } from '../../../rules/values/currency.ts'
import {
  type SimulatedBooking,
  type SimulatedStatement,
  simulatedPayer,
} from '../../../rules/sandbox/simulated-statement.ts'

const swift = (minor: bigint, currency: string): string => {
  const text = formatDecimal(minor < 0n ? -minor : minor, currencyDecimals(currency)).replace('.', ',')
  return text.includes(',') ? text : `${text},`
}

const short = (day: string): string => day.slice(2).replaceAll('-', '')

const writeRow = (booking: SimulatedBooking, { day, currency }: SimulatedStatement): string[] => [
  `:61:${short(day)}${short(day).slice(2)}${booking.isReversal ? 'RC' : 'C'}${swift(booking.amount, currency)}NTRFNONREF//${booking.reference}`,
  `:86:020?00Transfer?20${simulatedPayer.text}?30${simulatedPayer.bank}?32${simulatedPayer.name}`,
]

const writeAccount = function* (statement: SimulatedStatement, index: number): Generator<string> {
  const { account, currency, day, opening, closing, bookings } = statement
  const balance = (minor: bigint): string =>
    `${minor < 0n ? 'D' : 'C'}${short(day)}${currency.toUpperCase()}${swift(minor, currency)}`
  yield joinLines([`:20:SB${short(day)}${index + 1}`, `:25:${account}`, ':28C:1/1', `:60F:${balance(opening)}`])
  for (const booking of bookings) yield joinLines(writeRow(booking, statement))
  yield joinLines([`:62F:${balance(closing)}`, '-'])
}

/** The statements as MT940 messages (SWIFT), one for each account. */
export const writeMt940 = function* (statements: readonly SimulatedStatement[]): Generator<string> {
  for (const [index, each] of statements.entries()) yield* writeAccount(each, index)
}
