import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directionOf } from '../src/tables/direction-words.ts'

const words = {
  credit: [
    ...['Пополнение', 'Пополнение счёта', 'Пополнение через банкомат', 'Пополнение СБП', 'Внесение наличных', 'Взнос'],
    ...['Deposit', 'Deposit of cash', 'Top-up by *1234', 'Received from Anna', 'Зачисление перевода', 'Кт'],
  ],
  debit: [
    ...[
      'Снятие',
      'Снятие наличных в банкомате',
      'Выдача наличных',
      'Покупка',
      'Покупка в магазине',
      'Комиссия за перевод',
    ],
    ...['Withdrawal at ATM', 'Purchase', 'Card payment', 'Fee', 'Оплата услуг', 'Списание средств', 'Дт'],
  ],
  // Paid in to something else than the account, taken out of something else, exchanged, or given back.
  neither: [
    ...['Пополнение транспортной карты', 'Пополнение Steam', 'Пополнение вклада', 'Пополнение карты другого банка'],
    ...['Взнос по кредиту', 'Взнос в УК', 'Внесение аванса поставщику', 'Deposit to savings', 'Top-up wallet'],
    ...['Выдача кредита', 'Снятие со вклада', 'Снятие ареста', 'Withdrawal from savings'],
    ...['Покупка валюты', 'Покупка USD', 'Purchase of currency', 'Возврат покупки', 'Отмена снятия', 'Перевод', ''],
  ],
}

test('a word is a credit or a debit only where it can be nothing else', () => {
  for (const [expected, all] of Object.entries(words))
    for (const word of all) assert.equal(directionOf(word) ?? 'neither', expected, word)
})
