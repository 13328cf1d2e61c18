import type { Bank } from '../bank.ts'

export const homecredit: Bank = {
  bank: 'homecredit',
  country: 'ru',
  currency: 'rub',
  senders: ['HomeCredit'],
  parts: { of: '<Karta|Schet> {account}.' },
  templates: {
    credit: ["Popolnenie: {amount} {of} [Otpravitel' perevoda {name}.] [{time}.] [{left} {balance}]"],
    debit: ['<Snyatie nalichnyh|Pokupka|Oplata|Spisanie>: {amount} {of} [{text}.] {left} {balance} [{phone}]'],
  },
}
