import type { Bank } from '../bank.ts'

export const bspb: Bank = {
  bank: 'bspb',
  country: 'ru',
  currency: 'rub',
  senders: ['BankSPB'],
  templates: {
    credit: ['{account} Зачислен перевод [по СБП] {amount} [{time}] от {person:open} [{left} {balance}]'],
  },
}
