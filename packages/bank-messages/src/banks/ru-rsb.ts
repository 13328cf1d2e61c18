import type { Bank } from '../bank.ts'

export const rsb: Bank = {
  bank: 'rsb',
  country: 'ru',
  currency: 'rub',
  senders: ['rsb.ru'],
  parts: { site: '[.] [rsb.ru/balance] [Russian Standard Bank]' },
  templates: {
    credit: [
      'Karta [{word}] {account}.<Popolnenie|Zachislenie|Postuplenie na schet>: [+]{amount} [{text}] {time}. {left} {balance}{site}',
    ],
    debit: ['Karta [{word}] {account}.<Spisanie|Pokupka|Oplata>: -{amount} {text} {time}. {left} {balance}{site}'],
  },
}
