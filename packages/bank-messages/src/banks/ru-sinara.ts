import type { Bank } from '../bank.ts'

export const sinara: Bank = {
  bank: 'sinara',
  country: 'ru',
  currency: 'rub',
  senders: ['SKB-SINARA'],
  templates: {
    credit: [
      '<Karta|Schet> {account} zachisleno {amount} [Tinkoff Card2Card|Card2Card] {time} [perevod (SBP)] [.] [{left} {balance}]',
    ],
  },
}
