import type { Bank } from '../bank.ts'

export const unicredit: Bank = {
  bank: 'unicredit',
  country: 'ru',
  currency: 'rub',
  senders: ['UniCredit'],
  templates: {
    credit: [
      'Карта {account} {time} Баланс карты увеличен на {amount} {left} {balance}',
      '{time} Баланс карты {account} увеличен на {amount} {left} {balance}',
    ],
    debit: ['Карта {account} {time} <Покупка|Оплата|Снятие> {amount} {left} {balance} {text}'],
  },
}
