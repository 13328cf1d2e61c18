import type { Bank } from '../bank.ts'

export const domrf: Bank = {
  bank: 'domrf',
  country: 'ru',
  currency: 'rub',
  senders: ['Bank_DOM.RF'],
  templates: {
    credit: ['Пополнение [+]{amount} на счет {account} [по СБП] от {person:open} успешно. {left} {balance}'],
  },
}
