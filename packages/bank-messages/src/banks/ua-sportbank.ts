import type { Bank } from '../bank.ts'

export const sportbank: Bank = {
  bank: 'sportbank',
  country: 'ua',
  currency: 'uah',
  packages: 'unknown',
  templates: { credit: ['[+]{amount} Вiд {person} {left} {balance}'] },
}
