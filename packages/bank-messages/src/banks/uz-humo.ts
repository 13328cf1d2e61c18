import type { Bank } from '../bank.ts'

export const humo: Bank = {
  bank: 'humo',
  country: 'uz',
  currency: 'uzs',
  thousands: '.',
  senders: 'unknown',
  bots: ['HUMO Card'],
  parts: {
    lines: '{amount} 📍 {text} 💳 HUMOCARD {account} 🕓 {time} 💰 {balance}',
    end: '{amount}; {text}; {time}; {left} {balance}',
  },
  templates: {
    other: ['ℹ️ Счет по карте изменен 💸 {amount} 💳 HUMO-CARD {account} 🕘 {time}'],
    credit: ["🎉 <Пополнение|To'ldirish> ➕ {lines}", 'HUMOCARD {account}: popolnenie {end}'],
    debit: [
      "<💸|🏧> <Оплата|To'lov|Снятие наличных|Naqd pul yechish|Перевод|Списание> ➖ {lines}",
      'HUMOCARD {account}: <oplata|perevod|snyatie nalichnyh|spisanie> {end}',
    ],
  },
}
