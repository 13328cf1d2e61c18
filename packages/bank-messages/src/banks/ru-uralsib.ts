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
      'POSTUPLENIE SREDSTV NA SCHET: {amount} {time}. Ostatok {balance}',
      'Пополнение {account} Сумма {amount} Остаток {balance} [{text}]',
      'Karta {account}. {time}. Postuplenie {amount} [{text}.] Balans {balance}',
      'Perevod SBP ot {person:open} iz {bank}. Summa {amount} na schet {account}. Ispolnen {time}',
    ],
  },
}
