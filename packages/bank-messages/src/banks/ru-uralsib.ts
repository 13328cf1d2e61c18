import type { Bank } from '../bank.ts'

export const uralsib: Bank = {
  bank: 'uralsib',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  packages: ['ru.uralsib.umobile.android'],
  titles: ['Уралсиб'],
  templates: {
    credit: [
      'POSTUPLENIE SREDSTV NA SCHET: {amount} {time}. {left} {balance}',
      'Пополнение {account} Сумма {amount} {left} {balance} [{text}]',
      'Karta {account}. {time}. Postuplenie {amount} [{text}.] {left} {balance}',
      'Perevod SBP ot {person:open} iz {bank}. Summa {amount} na schet {account}. Ispolnen {time}',
    ],
  },
}
