import type { Bank } from '../bank.ts'

export const oschad: Bank = {
  bank: 'oschad',
  country: 'ua',
  currency: 'uah',
  thousands: ',',
  senders: 'unknown',
  parts: { begin: '{time} Card:{account}[*]', end: '{amount} {text} Balance={balance} Detali [{link}]' },
  templates: { credit: ['{begin} Sum:{end}'], debit: ['{begin} Sum:-{end}'] },
}
