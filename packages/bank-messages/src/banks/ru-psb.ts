import type { Bank } from '../bank.ts'

export const psb: Bank = {
  bank: 'psb',
  country: 'ru',
  currency: 'rub',
  senders: ['PSB'],
  parts: { of: '<Kontrakt|Karta|Schet> {account}:' },
  templates: {
    credit: [
      '{of} Vnesenie sredstv {amount}; {time};{text}. Dostupno {balance} [(v t.ch. kredit {sum}).]',

      '{account} <Пополнение|Зачисление> {amount} [{text}] Доступно {balance}',
      '{of} Zachislenie {amount}; {time}. Dostupno {balance}',
    ],
    debit: [
      '{of} <Perevod s karty na kartu - spisanie|Pokupka|Snyatie nalichnyh|Spisanie> {amount}; {time};{text}. Dostupno {balance}',
    ],
    declined: ['{of} Otkaz v operacii {text} {amount};{time};{text}'],
  },
}
