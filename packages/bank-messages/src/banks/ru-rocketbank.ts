import type { Bank } from '../bank.ts'

export const rocketbank: Bank = {
  bank: 'rocketbank',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  templates: {
    credit: ['+{amount} Пополнение с карты "{text}" {left} {balance}'],
    debit: ['-{amount} {text} {left} {balance}'],
  },
}
