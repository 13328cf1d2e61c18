import type { Bank } from '../bank.ts'

export const bcc: Bank = {
  bank: 'bcc',
  country: 'kz',
  currency: 'kzt',
  packages: 'unknown',
  titles: ['BCC.KZ'],
  templates: { credit: ['Поступил перевод {amount} на счёт {account}. {left} {balance}'] },
}
