import type { Bank } from '../bank.ts'

export const solidarnost: Bank = {
  bank: 'solidarnost',
  country: 'ru',
  currency: 'rub',
  senders: ['1711'],
  templates: {
    credit: [
      'СБП Зачислено {amount} из {bank}, {person:open}',
      'Зачислено {amount} из {bank}',
      '{account} Зачисление {amount}',
    ],
    debit: ['СБП Списано {amount} в {text}', '{account} <Списание|Покупка|Оплата> {amount} [{text}]'],
    other: ['Блокировка карты {account}: {text}'],
  },
}
