import type { Bank } from '../bank.ts'

export const qiwi: Bank = {
  bank: 'qiwi',
  country: 'ru',
  currency: 'rub',
  senders: ['QIWIWallet'],
  templates: {
    debit: ['Spisanie <c|s> {phone} na summu {amount}'],
  },
}
