import type { Bank } from '../bank.ts'

export const ubrr: Bank = {
  bank: 'ubrr',
  country: 'ru',
  currency: 'rub',
  senders: ['UBRR'],
  parts: { term: 'Term: {text}' },
  templates: {
    credit: [
      'Зачисление СБП: {amount} от {person:open}',
      'Popolnenie karty {account} Summa: {amount} {left} {balance} {term} {time}',
    ],
    debit: [
      '<Покупка|Оплата> {account} Сумма {amount} {left} {balance} [{text}]',
      '<Pokupka|Oplata|Vydacha nalichnyh> {account} Summa: {amount} {left} {balance} {term} {time}',
    ],
    reversal: ['Otmena [{word}] {account} Summa: {amount} [{left} {balance}] {term} {time}'],
  },
}
