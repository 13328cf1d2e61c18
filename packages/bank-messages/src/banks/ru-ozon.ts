import type { Bank } from '../bank.ts'

export const ozon: Bank = {
  bank: 'ozon',
  country: 'ru',
  currency: 'rub',
  packages: ['ru.ozon.fintech.finance', 'ru.ozon.app.android'],
  titles: ['Ozon Банк', 'Ozon'],
  templates: {
    credit: ['Пополнение [через СБП] на {amount}[.] [{person}[.] [{bank}[.]]] <Баланс|Доступно> {balance}'],
    debit: [
      '<Покупка|Оплата> на {amount}[.] {text} <Баланс|Доступно> {balance}',
      '<Покупка|Оплата> в {text}. {amount}[.] <Баланс|Доступно> {balance}',
      '<Перевод|Списание> [через СБП] на {amount}[.] [{text}] <Баланс|Доступно> {balance}',
    ],
  },
}
