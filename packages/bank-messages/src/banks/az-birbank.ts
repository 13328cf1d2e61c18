import type { Bank } from '../bank.ts'

export const birbank: Bank = {
  bank: 'birbank',
  country: 'az',
  currency: 'azn',
  senders: ['Birbank'],
  templates: { credit: ['{amount} {text} {account} {time} BALANCE {balance} (c)KB'] },
}
