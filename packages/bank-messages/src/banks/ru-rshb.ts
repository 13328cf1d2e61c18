import type { Bank } from '../bank.ts'

export const rshb: Bank = {
  bank: 'rshb',
  country: 'ru',
  currency: 'rub',
  senders: ['RSHB'],
  packages: ['ru.rshb.dbo'],
  titles: ['RSHB', 'РСХБ', 'Россельхозбанк'],
  thousands: ',',
  parts: { begin: '<РСХБ|RSHB> {time}' },
  templates: {
    credit: [
      '{time} перевод {amount} на <карту|счет> {account} [от {person:open}] {left} {balance:bare} [{text}]',
      'Успешный перевод СБП. {person:open} из {bank} Зачислено {amount}',
      '{begin} <счет|карта> {account} <пополнение|зачисление> {amount} одобр. {left} {balance:bare}',
    ],
    debit: [
      '{begin} perevod prinyat k ispolneniyu {amount} so scheta {account} na schet {card}. Komissiya {fee}',
      '{begin} <покупка|[АТМ] выдача наличных|оплата|перевод> {amount} одобр. {left} {balance:bare} карта {account} [{text}]',
    ],
    other: ['Кредит на любые цели! {text}'],
  },
}
