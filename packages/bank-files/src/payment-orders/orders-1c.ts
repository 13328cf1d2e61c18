import { formatDecimal } from '../amount.ts'
import { orderSender } from '../formats/section-of-1c.ts'
import { known, onOneLine, type OrderParty, type PaymentOrders } from './payment-order.ts'
import { encode1251 } from './windows-1251.ts'

/** `31.01.2026` */
export const dotted = (day: string): string => day.split('-').toReversed().join('.')

/** A field and its value; one without a value is left out. */
export type Line = readonly [name: string, value: string | null | undefined]

/** The fields of one side of a document. */
export const sideLines = (side: 'Плательщик' | 'Получатель', party: OrderParty): Line[] => {
  const { name, account, bank, taxNumber, taxReason } = party
  const lines: Line[] = [
    ['Счет', account],
    ['', name],
    ['ИНН', taxNumber],
    ['КПП', taxReason],
    ['1', name],
    ['РасчСчет', account],
    ['Банк1', bank?.name],
    ['БИК', bank?.bic],
    ['Корсчет', bank?.correspondentAccount],
  ]
  return lines.map(([field, value]) => [`${side}${field}`, value])
}

const documentLines = (
  { writtenAt, payer }: PaymentOrders,
  { number, amount, payee, text }: PaymentOrders['orders'][number],
): Line[] => [
  ['СекцияДокумент', 'Платежное поручение'],
  ['Номер', String(number)],
  ['Дата', dotted(writtenAt.slice(0, 10))],
  ['Сумма', formatDecimal(amount, 2)],
  ...sideLines('Плательщик', payer),
  ...sideLines('Получатель', payee),
  ['ВидОплаты', '01'],
  ['Очередность', '5'],
  ['НазначениеПлатежа', text],
]

/** The line of a field. */
export const lineOf = ([name, value]: Line): string[] => (value ? [`${name}=${onOneLine(value)}`] : [])

/** 1CClientBankExchange 1.03: payment orders of banks in Russia. */
export const writeOrders1c = (file: PaymentOrders): Uint8Array<ArrayBuffer> => {
  const day = dotted(file.writtenAt.slice(0, 10))
  const head: Line[] = [
    ['ВерсияФормата', '1.03'],
    ['Кодировка', 'Windows'],
    ['Отправитель', orderSender],
    ['ДатаСоздания', day],
    ['ВремяСоздания', file.writtenAt.slice(11)],
    ['ДатаНачала', day],
    ['ДатаКонца', day],
    ['РасчСчет', known(file.payer.account)],
    ['Документ', 'Платежное поручение'],
  ]
  const documents = file.orders.flatMap((order) => [...documentLines(file, order).flatMap(lineOf), 'КонецДокумента'])
  const lines = ['1CClientBankExchange', ...head.flatMap(lineOf), ...documents, 'КонецФайла', '']
  return encode1251(lines.join('\r\n'))
}
