import type { Bank } from '../bank.ts'

export const yandex: Bank = {
  bank: 'yandex',
  country: 'ru',
  currency: 'rub',
  packages: ['com.yandex.bank'],
  titles: ['Входящий перевод', 'Карта Пэй', 'Яндекс Пэй'],
  templates: {
    reversal: ['<Отмена|Возврат> <покупки|перевода|оплаты> на {amount} [{text}] {left} {balance}'],
    credit: ['Пополнение на {amount} [{person}] {time}. {left} {balance}'],
    debit: [
      'Перевод [на] {amount} {text} {time}. {left} {balance}',
      '[{text}] Покупка на {amount}, карта {account}. {left} {balance}',
    ],
  },
}
