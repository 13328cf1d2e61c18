import type { Bank } from '../bank.ts'

export const ukrsibbank: Bank = {
  bank: 'ukrsibbank',
  country: 'ua',
  currency: 'uah',
  senders: 'unknown',
  templates: { declined: ['Neuspishniy perekaz z kartky {account}, {text}. Dovidka {digits}'] },
}
