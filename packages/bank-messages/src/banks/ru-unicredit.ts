import type { Bank } from '../bank.ts'

export const unicredit: Bank = {
  bank: 'unicredit',
  country: 'ru',
  currency: 'rub',
  senders: ['UniCredit'],
  templates: {
    credit: [
      'Карта {account} {time} Баланс карты увеличен на {amount} Доступно: {balance}',
      '{time} Баланс карты {account} увеличен на {amount} Доступно: {balance}',
    ],
    debit: ['Карта {account} {time} <Покупка|Оплата|Снятие> {amount} Доступно: {balance} {text}'],
  },
}
