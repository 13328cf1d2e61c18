import type { Bank } from '../bank.ts'

export const avangard: Bank = {
  bank: 'avangard',
  country: 'ru',
  currency: 'rub',
  senders: ['AVANGARD'],
  templates: {
    credit: ['POPOLN [BEZNAL] {text} {amount} {account} BAL {balance} {time} END'],
    debit: ['<POKUPKA|OPLATA|SNYATIE> {text} {amount}, CARD {account} {text} BAL {balance} {time} END'],
  },
}
