import type { Bank } from '../bank.ts'

export const otp: Bank = {
  bank: 'otp',
  country: 'ru',
  currency: 'rub',
  senders: ['OTP_Bank'],
  templates: {
    debit: ['<Счет|Карта> {account} <списание|покупка|оплата> [-]{amount}[.] [{text}] {left} {balance}[.] [{link}]'],
    credit: [
      '{time}. <Карта|Счет> {account} <зачисление|пополнение> на сумму {amount}[.] [{text}.] {left} {balance}[.] [<Карта|Счет> {card} зачисление на сумму {sum}]',
      'Зачислено через СБП {amount} <Счет|Карта> {account}',
      '<Счет|Карта> {account} <зачисление|пополнение> {amount}[.] {left} {balance}[.] [{link}]',
    ],
  },
}
