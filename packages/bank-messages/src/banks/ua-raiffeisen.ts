import type { Bank } from '../bank.ts'

export const raiffeisenUa: Bank = {
  bank: 'raiffeisen-ua',
  country: 'ua',
  currency: 'uah',
  senders: ['Raiffeisen'],
  templates: { credit: ['{time} {word}{account} zarakhuvannya koshtiv {amount} {text} Dostupna suma {balance}'] },
}
