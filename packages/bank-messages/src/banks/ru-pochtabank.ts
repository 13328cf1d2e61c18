import type { Bank } from '../bank.ts'

export const pochtabank: Bank = {
  bank: 'pochtabank',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  parts: { bank_words: '[ПАО "Почта Банк"]' },
  templates: {
    credit: [
      '<Счёт договора {contract}|Карта {account}>. Пополнение на {amount}[.] [{left} {balance}]',
      'Пополнение [от Пенсионного Фонда РФ] на {amount}[.] {left} {balance}',
    ],
    debit: [
      'По договору {contract} {time} произведено списание со счёта на сумму {amount} {left} {balance} {bank_words}',
    ],
    hold: ['Карта {account} {time} <Бронирование|Проверка карты> {amount} {text} {left} {balance}'],
  },
}
