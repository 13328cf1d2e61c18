import type { Bank } from '../bank.ts'

export const spitamen: Bank = {
  bank: 'spitamen',
  country: 'tj',
  currency: 'tjs',
  senders: ['BANK'],
  packages: 'unknown',
  templates: {
    credit: [
      'Пополнение карты {account} Сумма: {amount} - УСПЕШНО Отправитель: {name} Дата: {time} Код операции: {digits}',
      'UPI/{word}{account} {time} Приход: {amount} {text} {left} {balance}',
    ],
  },
}
