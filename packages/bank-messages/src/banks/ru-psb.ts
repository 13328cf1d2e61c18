import type { Bank } from '../bank.ts'

export const psb: Bank = {
  bank: 'psb',
  country: 'ru',
  currency: 'rub',
  senders: ['PSB'],
  parts: { of: '<Kontrakt|Karta|Schet> {account}:' },
  templates: {
    credit: [
      '{of} Vnesenie sredstv {amount}; {time};{text}. {left} {balance} [(v t.ch. kredit {sum}).]',

      '{account} <Пополнение|Зачисление> {amount} [{text}] {left} {balance}',
      '{of} Zachislenie {amount}; {time}. {left} {balance}',
    ],
    debit: [
      '{of} <Perevod s karty na kartu - spisanie|Pokupka|Snyatie nalichnyh|Spisanie> {amount}; {time};{text}. {left} {balance}',
    ],
    declined: ['{of} Otkaz v operacii {text} {amount};{time};{text}'],
  },
}
