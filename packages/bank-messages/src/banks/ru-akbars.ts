import type { Bank } from '../bank.ts'

export const akbars: Bank = {
  bank: 'akbars',
  country: 'ru',
  currency: 'rub',
  senders: ['AKBARS'],
  templates: {
    hold: ['Karta {account}. Pokupka {sum} {text} Zarezervirovano {amount} {time}. {left} {balance}'],
    credit: [
      'Карта {account} пополнение [на] {amount}[.] [Перевод от {card}.] [<{bank:named} [Card2Card]|{text}>.] {time}. {left} {balance}[.]',
      'Пополнение через СБП. Карта {account}. Сумма: {amount}',
    ],
    debit: [
      'Карта {account} <Списание с карты|Покупка|Оплата|Снятие наличных|Перевод с карты> {amount}[.] [{text}.] {time}. {left} {balance}[.]',
    ],
  },
}
