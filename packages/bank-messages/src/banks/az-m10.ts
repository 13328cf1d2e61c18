import type { Bank } from '../bank.ts'

export const m10: Bank = {
  bank: 'm10',
  country: 'az',
  currency: 'azn',
  packages: 'unknown',
  templates: { credit: ['Пополнение баланса m10 На ваш m10 поступило {amount}'] },
}
