import type { Bank } from '../bank.ts'

export const uzcard: Bank = {
  bank: 'uzcard',
  country: 'uz',
  currency: 'uzs',
  senders: 'unknown',
  bots: ['CardXabar'],
  titles: ['CardXabar'],
  parts: { lines: '{amount} 💳 {account} [📍 {text}] 🕓 {time} [💵 {balance}]' },
  templates: {
    reversal: [
      '🟢 OTMENA [{word}] ➕ {lines}',
      'OTMENA [{word}]: {text}, {time} karta {account}. summa:{amount}, {left} {balance}',
    ],
    credit: ["🟢 <Popolnenie scheta|Popolnenie|Konversiya|Perevod|Kartaga o'tkazma> ➕ {lines}"],
    debit: [
      '🔴 <Pokupka|Oplata|Spisanie|Spisanie c karty|Perevod|Snyatie nalichnyh|Konversiya> ➖ {lines}',
      '<Pokupka|Oplata|Spisanie c karty|Snyatie nalichnyh>: {text}, {time} karta {account}. summa:{amount}, {left} {balance}',
    ],
  },
}
