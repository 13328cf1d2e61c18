import type { Bank } from '../bank.ts'

export const kaspi: Bank = {
  bank: 'kaspi',
  country: 'kz',
  currency: 'kzt',
  senders: 'unknown',
  parts: { deposit: 'Kaspi Депозит {contract}' },
  templates: {
    credit: [
      'Пополнение: {amount} [В Kaspi Терминале|В Kaspi Банкомате] {left} {balance}',
      '{deposit} <Пополнение|Проценты за {word}>: [+]{amount} [В Kaspi Терминале] На Депозите: {balance}',
    ],
    debit: [
      '{deposit} <Перевод|Снятие>: {amount} {text} На Депозите: {balance}',
      '<Покупка|Перевод|Платеж|Снятие>: {amount} {text} {left} {balance}',
    ],
  },
}
