// What an operator types into a search, and the words under which things are found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasTerms, readSearch, wordsOfTransfer } from '../../src/rules/search/search.ts'

const transfer = { amount: 100n, decimals: 2, reference: null, masked: '', name: null, text: null, number: null }

test('a payment has each term as its order or user or a part of one, its amount, or the end of its number', () => {
  const payment = { orderId: 'Order-42/a', userId: 'u7', amount: 150_010n, decimals: 2, masked: '*******4567' }
  const has = (typed: string, other = {}) => hasTerms({ ...payment, ...other }, readSearch(typed, true).terms)
  for (const typed of ['order-42/a 1500.10', 'u7 1 500,1', '42 4567', 'ORDER-42/A U7', '•••• 4567'])
    assert.ok(has(typed), typed)
  for (const typed of ['order-42/a 1500.11', 'u8 1500.1', 'order 42', '4568']) assert.ok(!has(typed), typed)
  assert.ok(has('5 42', { amount: 5n, decimals: 0 }))
  assert.ok(has('0.05 42', { amount: 5n, userId: null }))
})

test('a transfer has the words of its names and text, at most forty of each', () => {
  const words = wordsOfTransfer({ ...transfer, masked: '•••• 4567', name: 'ИВАНОВ И.', text: 'Счёт № 12-A' })
  assert.deepEqual(words, ['amount 1', 'ending 4567', 'name ivanov', 'name schet', 'code 12'])
  const long = Array.from({ length: 100 }, (_, index) => `w${index}x`).join(' ')
  assert.equal(wordsOfTransfer({ ...transfer, text: long }).length, 41)
  assert.deepEqual(wordsOfTransfer({ ...transfer, number: 'ПП-481555' }), ['amount 1', 'code пп-481555', 'code 481555'])
})

test('numbers that are masked in a text are words only for those who may reveal them', () => {
  const words = wordsOfTransfer({ ...transfer, text: 'Возврат на +7 999 123-45-67, заказ 7001' })
  assert.deepEqual(words, [
    ...['amount 1', 'name vozvrat', 'name na', 'code 4567', 'name zakaz', 'code 7001', 'number 79991234567'],
  ])
  const finds = (typed: string, mayReveal: boolean) =>
    readSearch(typed, mayReveal).terms.every((term) => term.words.some((each) => words.includes(each)))
  for (const typed of ['79991234567', '+7 (999) 123-45-67', '9991234567'])
    assert.deepEqual([finds(typed, true), finds(typed, false)], [true, false], typed)
  for (const typed of ['999', '123', '45', '999 123']) assert.ok(!finds(typed, true), typed)
  for (const typed of ['4567', '7001']) assert.ok(finds(typed, false), typed)
})

test('an amount is found however it is written, and a phone in each way of writing it', () => {
  const words = (typed: string) => readSearch(typed, true).terms.map((term) => term.words)
  for (const typed of ['1500.10', '1500,1', '1 500,10', '01500.1'])
    assert.ok(words(typed)[0]?.includes('amount 1500.1'), typed)
  for (const typed of ['1500', '1 500', '1500.00']) assert.ok(words(typed)[0]?.includes('amount 1500'), typed)
  assert.deepEqual(
    readSearch('+7 (999) 123-45-67', true).terms.map((term) => term.numbers),
    [['79991234567', '89991234567', '9991234567']],
  )
  assert.deepEqual(readSearch('9991234567', true).terms[0]?.numbers, ['79991234567', '89991234567', '9991234567'])
  assert.deepEqual(readSearch('4081 7810', true).terms.length, 2)
})

test('words are taken one by one, five at most; an id and the end of a number are recognised', () => {
  assert.equal(readSearch('a b c d e f g', true).terms.length, 5)
  assert.equal(readSearch(' 019A9C3E-7D5E-7B52-9F0C-0D6F3F3C6A10 ', true).id, '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10')
  assert.deepEqual(readSearch('•••• 4567', true).terms, readSearch('4567', true).terms)
})
