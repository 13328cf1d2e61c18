import type { Bank } from '../bank.ts'

export const rnkb: Bank = {
  bank: 'rnkb',
  country: 'ru',
  currency: 'rub',
  senders: ['RNCB'],
  templates: {
    credit: [
      '<Popolnenie|Zachislenie>[,] Karta: {account} summa: {amount} {left} {balance} [{text}] (vremya operatsii MSK {time})',

      'Schet {account} Zachislen perevod SBP summa {amount} ot {person:open} tel {phone} <iz|is> {bank} {time} {left} {balance} [Operatsiya zavershena uspeshno]',
      'Зачисление {amount} по переводу с карты на карту в {time}. Карта {account}. [{text}.] {left} {balance}',
      'Пополнение по договору:{contract} сумма:{amount}',
    ],
    debit: [
      'Spisanie po perevodu s karty na kartu karta: {account} summa: {amount} {left} {balance} [{text}] {time}',
      '<Beznalichnyj perevod|Oplata|Pokupka> Karta: {account} summa: {amount} {left} {balance} {text} (vremya operatsii MSK {time})',
    ],
  },
}
