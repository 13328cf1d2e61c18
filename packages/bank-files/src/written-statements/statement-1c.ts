import { formatDecimal } from '../amount.ts'
import { dotted, type Line, lineOf, sideLines } from '../payment-orders/orders-1c.ts'
import { onOneLine } from '../payment-orders/payment-order.ts'
import { encode1251, foreignTo1251 } from '../payment-orders/windows-1251.ts'
import { changeOf, type WrittenEntry, type WrittenStatement } from './written-statement.ts'

const sum = (amount: bigint): string => formatDecimal(amount, 2)

const documentLines = (owner: WrittenStatement['owner'], entry: WrittenEntry): Line[] => {
  const { id, booked, direction, amount, reference, counterparty, text } = entry
  const day = dotted(booked.slice(0, 10))
  const [payer, payee] = direction === 'credit' ? [counterparty, owner] : [owner, counterparty]
  return [
    ['СекцияДокумент', 'Платежное поручение'],
    // Accounting programs know a document by its number and date: without one of the bank, a part of the id.
    ['Номер', onOneLine(reference ?? id.slice(-12))],
    ['Дата', day],
    ['Сумма', sum(amount)],
    ...sideLines('Плательщик', payer),
    ...(direction === 'debit' ? [['ДатаСписано', day] as const] : []),
    ...sideLines('Получатель', payee),
    ...(direction === 'credit' ? [['ДатаПоступило', day] as const] : []),
    ['ВидОплаты', '01'],
    ['НазначениеПлатежа', text],
  ]
}

/** 1CClientBankExchange 1.03: the statement of an account in roubles. What windows-1251 does not have becomes `?`. */
export const writeStatement1c = (statement: WrittenStatement): Uint8Array<ArrayBuffer> => {
  const { writtenAt, owner, firstDay, lastDay, opening, entries } = statement
  const days: Line[] = [
    ['ДатаНачала', dotted(firstDay)],
    ['ДатаКонца', dotted(lastDay)],
  ]
  const sumOf = (direction: WrittenEntry['direction']): string =>
    sum(entries.reduce((total, each) => (each.direction === direction ? total + each.amount : total), 0n))
  const lines: Line[] = [
    ['ВерсияФормата', '1.03'],
    ['Кодировка', 'Windows'],
    ['ДатаСоздания', dotted(writtenAt.slice(0, 10))],
    ['ВремяСоздания', writtenAt.slice(11)],
    ...days,
    ['РасчСчет', owner.account],
  ]
  const account: Line[] = [
    ...days,
    ['РасчСчет', owner.account],
    ['НачальныйОстаток', opening === null ? null : sum(opening)],
    ['ВсегоПоступило', sumOf('credit')],
    ['ВсегоСписано', sumOf('debit')],
    ['КонечныйОстаток', opening === null ? null : sum(opening + changeOf(entries))],
  ]
  const documents = entries.flatMap((entry) => [...documentLines(owner, entry).flatMap(lineOf), 'КонецДокумента'])
  const text = [
    ...['1CClientBankExchange', ...lines.flatMap(lineOf), 'СекцияРасчСчет', ...account.flatMap(lineOf)],
    ...['КонецРасчСчет', ...documents, 'КонецФайла', ''],
  ].join('\r\n')
  return encode1251([...text].map((sign) => (foreignTo1251(sign) === undefined ? sign : '?')).join(''))
}
