import type { Bank } from '../bank.ts'

export const belapb: Bank = {
  bank: 'belapb',
  country: 'by',
  currency: 'byn',
  senders: 'unknown',
  templates: { declined: ['OTKAZ [({text})] {amount} KARTA {account} DATA {time} {text}'] },
}
