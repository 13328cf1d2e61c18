import { currencyDecimals, formatDecimal } from '../../../rules/values/currency.ts'
import {
  type SimulatedBooking,
  type SimulatedStatement,
  simulatedPayer,
} from '../../../rules/sandbox/simulated-statement.ts'

/** A day as Russian banks write it, such as `31.01.2026`. */
export const dotted = (day: string): string => day.split('-').toReversed().join('.')

/** Lines of a text file, each with its end. */
export const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('')

/** The number of a payment order: six digits, the same in every file that has it. */
const orderNumber = ({ id }: SimulatedBooking): string =>
  (BigInt(`0x${id.replaceAll('-', '').slice(-12)}`) % 1_000_000n).toString().padStart(6, '0')

/** Free text on a single line. */
const inLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const writeOrder = (booking: SimulatedBooking, { account, holder, currency, day }: SimulatedStatement): string[] => {
  const own = [account, inLine(holder)]
  // The payer's account is unknown; an order names the payer, with or without a number.
  const other = ['', simulatedPayer.name]
  const [payer, payee] = booking.isReversal ? [own, other] : [other, own]
  const date = dotted(day)
  return [
    'СекцияДокумент=Платежное поручение',
    `Номер=${orderNumber(booking)}`,
    `Дата=${date}`,
    `Сумма=${formatDecimal(booking.amount, currencyDecimals(currency))}`,
    `ПлательщикСчет=${payer[0]}`,
    ...(booking.isReversal ? [`ДатаСписано=${date}`] : []),
    `Плательщик1=${payer[1]}`,
    ...(booking.isReversal ? [] : [`ПлательщикБанк1=${simulatedPayer.bank}`]),
    `ПолучательСчет=${payee[0]}`,
    ...(booking.isReversal ? [] : [`ДатаПоступило=${date}`]),
    `Получатель1=${payee[1]}`,
    // The text of a reversal contains the reference of the received money, as banks write it.
    `НазначениеПлатежа=${booking.isReversal ? `Возврат ${booking.reference}` : `${simulatedPayer.text} ${booking.reference}`}`,
    'КонецДокумента',
  ]
}

const sumOf = (statement: SimulatedStatement, isReversal: boolean): string =>
  formatDecimal(
    statement.bookings.reduce((sum, each) => (each.isReversal === isReversal ? sum + each.amount : sum), 0n),
    currencyDecimals(statement.currency),
  )

const writeAccount = (statement: SimulatedStatement): string[] => {
  const { account, day, opening, closing, currency } = statement
  const decimals = currencyDecimals(currency)
  return [
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(day)}`,
    `ДатаКонца=${dotted(day)}`,
    `РасчСчет=${account}`,
    `НачальныйОстаток=${formatDecimal(opening, decimals)}`,
    `ВсегоПоступило=${sumOf(statement, false)}`,
    `ВсегоСписано=${sumOf(statement, true)}`,
    `КонечныйОстаток=${formatDecimal(closing, decimals)}`,
    'КонецРасчСчет',
  ]
}

/** The statements as a 1CClientBankExchange file in the character set windows-1251. */
export const writeExchange = function* (statements: readonly SimulatedStatement[]): Generator<string> {
  const days = statements.map(({ day }) => day).toSorted()
  yield joinLines([
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    `Отправитель=${simulatedPayer.bank}`,
    `ДатаНачала=${dotted(days[0] ?? '')}`,
    `ДатаКонца=${dotted(days.at(-1) ?? '')}`,
    ...statements.map(({ account }) => `РасчСчет=${account}`),
  ])
  for (const each of statements) yield joinLines(writeAccount(each))
  for (const each of statements) for (const booking of each.bookings) yield joinLines(writeOrder(booking, each))
  yield joinLines(['КонецФайла'])
}
