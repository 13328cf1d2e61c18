import type { Bank } from '../bank.ts'

export const kreditDnipro: Bank = {
  bank: 'kreditdnipro',
  country: 'ua',
  currency: 'uah',
  packages: 'unknown',
  titles: ['FreeBank'],
  templates: {
    credit: [
      'Операція на +{amount} Комісія: {fee} [{word}*]{name},Visa Direct {time} Картка {account} {left} {balance}',
    ],
  },
}
