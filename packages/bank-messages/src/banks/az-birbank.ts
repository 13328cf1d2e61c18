import type { Bank } from '../bank.ts'

export const birbank: Bank = {
  bank: 'birbank',
  country: 'az',
  currency: 'azn',
  senders: ['Birbank'],
  templates: { credit: ['{amount} {word} {account} {time} {left} {balance} (c)KB'] },
}
