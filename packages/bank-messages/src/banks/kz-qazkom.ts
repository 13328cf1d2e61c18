import type { Bank } from '../bank.ts'

export const qazkom: Bank = {
  bank: 'qazkom',
  country: 'kz',
  currency: 'kzt',
  senders: 'unknown',
  parts: {
    begin: '{time} Operaciya po kartochke {account} na summu',
    end: '{amount} {left} {balance:bare}. Opisanie: {text}',
  },
  templates: { credit: ['{begin} +{end}'], debit: ['{begin} -{end}'] },
}
