import type { Bank } from '../bank.ts'

export const idbank: Bank = {
  bank: 'idbank',
  country: 'am',
  currency: 'amd',
  thousands: ',',
  packages: 'unknown',
  templates: { credit: ['IDBank: MUTQ HASHVIN {amount} [{word}] {account} - MNACORD: {balance} {text} {time}'] },
}
