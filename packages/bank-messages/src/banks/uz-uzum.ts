import type { Bank } from '../bank.ts'

export const uzum: Bank = {
  bank: 'uzum',
  country: 'uz',
  currency: 'uzs',
  senders: 'unknown',
  templates: {
    credit: ['Popolnenie [ot {person}] na {amount}, karta {account}. {left} {balance}'],
    debit: ['<Spisanie|Oplata|Perevod>, karta {account}: {amount}, {text}. {left} {balance}'],
  },
}
