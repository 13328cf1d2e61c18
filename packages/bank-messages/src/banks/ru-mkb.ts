import type { Bank } from '../bank.ts'

export const mkb: Bank = {
  bank: 'mkb',
  country: 'ru',
  currency: 'rub',
  senders: ['MKB'],
  parts: { end: '{left} {balance} Blokirovka kart - SMS "All" na +{digits}' },
  templates: {
    credit: [
      'MKB: {time} Вам начислен cashback {amount} по карте {account}. {left} {balance} [Расплачивайтесь картой и зарабатывайте на покупках.]',

      'MKB: {time} {account} POPOLNENIE: {amount} {text}. {end}',
      'Карта {account} <Пополнение|Зачисление> {amount} [{text}] {left} {balance}',
    ],
    debit: [
      'MKB: {time} {account} <NALICHNIE|POKUPKA|OPLATA|PEREVOD>: {amount} {text}. {end}',
      'Карта {account} <Покупка|Оплата|Перевод|Снятие> {amount} [{text}] {left} {balance}',
    ],
  },
}
