import type { Bank } from '../bank.ts'

export const ameria: Bank = {
  bank: 'ameria',
  country: 'am',
  currency: 'amd',
  thousands: ',',
  senders: ['AMERIABANK', 'AMTBBANK'],
  packages: 'unknown',
  parts: { end: '[\\|] {amount} [\\|] {account}, [\\|] {text}[,] [\\|] {time} [\\|] {left} {balance}' },
  templates: {
    credit: ['C2C RECEIVED Amount:{amount}, card {account}, {text}, {time}, {left} {balance}', 'CREDIT ACCOUNT {end}'],
    debit: [
      'DEBIT ACCOUNT {end}',
      'APPROVED PURCHASE DB SALE: {text},{time},card {account}. Amount:{amount}, {left} {balance}',
    ],
    declined: ['NOT ENOUGH FUNDS: card {account}, {amount}, {time}'],
  },
}
