import type { Bank } from '../bank.ts'

export const matin: Bank = {
  bank: 'matin',
  country: 'tj',
  currency: 'tjs',
  senders: ['MDO MATIN'],
  packages: 'unknown',
  titles: ['МАТИН'],
  templates: {
    credit: [
      'Поступление средств {amount} {time}',
      'Пополнения кошелька Сервис: {bank} [Сумма RUB: {sum:bare}] Сумма TJS: {amount:bare} Дата: {time}',
    ],
  },
}
