import type { Bank } from '../bank.ts'

export const rnkb: Bank = {
  bank: 'rnkb',
  country: 'ru',
  currency: 'rub',
  senders: ['RNCB'],
  templates: {
    credit: [
      '<Popolnenie|Zachislenie>[,] Karta: {account} summa: {amount} balans: {balance} [{text}] (vremya operatsii MSK {time})',

      'Schet {account} Zachislen perevod SBP summa {amount} ot {person:open} tel {phone} <iz|is> {bank} {time} balans: {balance} [Operatsiya zavershena uspeshno]',
      'Зачисление {amount} по переводу с карты на карту в {time}. Карта {account}. [{text}.] Баланс {balance}',
      'Пополнение по договору:{contract} сумма:{amount}',
    ],
    debit: [
      'Spisanie po perevodu s karty na kartu karta: {account} summa: {amount} balans: {balance} [{text}] {time}',
      '<Beznalichnyj perevod|Oplata|Pokupka> Karta: {account} summa: {amount} balans: {balance} {text} (vremya operatsii MSK {time})',
    ],
  },
}
