import type { Bank } from '../bank.ts'

export const abr: Bank = {
  bank: 'abr',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  templates: {
    credit: [
      '<МИР|VISA|Карта>{account} <Пополнение|Зачисление> {amount} [{left} {balance}]',

      '{time} Зачисление [СБП] {amount} на сч{account} от {person:open} из {bank} {left} {balance}',
      '{time} Сч {account} Зачисление {amount} [{left} {balance}]',
    ],
    debit: ['Перевод <на карту|СБП|на счет> {amount} {text} исполнен {left} {balance} {time}'],
  },
}
