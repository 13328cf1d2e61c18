import type { Bank } from '../bank.ts'

export const ozon: Bank = {
  bank: 'ozon',
  country: 'ru',
  currency: 'rub',
  packages: ['ru.ozon.fintech.finance', 'ru.ozon.app.android'],
  titles: ['Ozon Банк', 'Ozon'],
  templates: {
    credit: ['Пополнение [через СБП] на {amount}[.] [{person}[.] [{bank}[.]]] {left} {balance}'],
    debit: [
      '<Покупка|Оплата> на {amount}[.] {text} {left} {balance}',
      '<Покупка|Оплата> в {text}. {amount}[.] {left} {balance}',
      '<Перевод|Списание> [через СБП] на {amount}[.] [{text}] {left} {balance}',
    ],
  },
}
