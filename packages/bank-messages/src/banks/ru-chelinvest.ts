import type { Bank } from '../bank.ts'

export const chelinvest: Bank = {
  bank: 'chelinvest',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  parts: { end: '{left} {balance} Karta: {account}' },
  templates: {
    credit: ['{time} <Popolnenie|Zachislenie> [na] {amount} {end}'],
    debit: ['{time} <Spisanie|Pokupka|Oplata|Snyatie> {amount} {end}'],
  },
}
