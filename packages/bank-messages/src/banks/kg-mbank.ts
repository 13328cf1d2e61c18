import type { Bank } from '../bank.ts'

export const mbank: Bank = {
  bank: 'mbank',
  country: 'kg',
  currency: 'kgs',
  packages: 'unknown',
  titles: ['MBANK'],
  templates: {
    credit: ['Пополнение: {amount} [{comment}] Карта: {account} {left} {balance}'],
    debit: ['<Покупка|Перевод|Снятие>: {amount} [{text} Карта: {account} {left} {balance}]'],
  },
}
