// How the amounts that payers type are read, and which are asked about instead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AmountFault, readTypedAmount } from '../../src/rules/payments/typed-amount.ts'

const bounds = { min: 100n, max: 100_000_000_00n }

const amounts: readonly (readonly [typed: string, currency: string, read: bigint | AmountFault])[] = [
  ['150', 'rub', 150_00n],
  [' 150.5 ', 'rub', 150_50n],
  ['150,05', 'rub', 150_05n],
  ['1234,5', 'rub', 1234_50n],
  // One separator with three digits after it may be thousands or a slip: nobody guesses, it is other people's money.
  ['100,000', 'rub', 'unclear'],
  ['100.000', 'rub', 'unclear'],
  ['150,000 ₽', 'rub', 'unclear'],
  ['1,500', 'rub', 'unclear'],
  ['100.001', 'rub', 'unclear'],
  ['1.500', 'kwd', 'unclear'],
  ['1,500', 'jpy', 1500n],
  ['1500.00', 'jpy', 1500n],
  // These are no thousands, and their zeros are not cut off.
  ['0,500', 'rub', 'precision'],
  ['1000,000', 'rub', 'precision'],
  ['1 000,000', 'rub', 'precision'],
  ['1,234.500', 'rub', 'precision'],
  ['1.5000', 'rub', 'precision'],
  ['10.1234567890', 'rub', 'precision'],
  ['1500.5', 'jpy', 'precision'],
  // Several separators say what they are.
  ['1.000.000', 'rub', 1_000_000_00n],
  ['1,000,000', 'rub', 1_000_000_00n],
  ['1,234.50', 'rub', 1234_50n],
  ['1.234,5', 'rub', 1234_50n],
  ['1,234,567.89', 'rub', 1_234_567_89n],
  ['1,234,56', 'rub', 'unreadable'],
  ['1,23.50', 'rub', 'unreadable'],
  ['1,234.567,89', 'rub', 'unreadable'],
  ['1,234.567,891', 'rub', 'unreadable'],
  // Spaces and apostrophes between groups, and the currency.
  ['1 234', 'rub', 1234_00n],
  ['1 234 567,89', 'rub', 1_234_567_89n],
  ['1\u{a0}234', 'rub', 1234_00n],
  ['1\u{202f}234,50', 'rub', 1234_50n],
  ["1'234.50", 'rub', 1234_50n],
  ['1’234', 'rub', 1234_00n],
  ['12 34', 'rub', 'unreadable'],
  ['1 2345', 'rub', 'unreadable'],
  ['150 ₽', 'rub', 150_00n],
  ['150₽', 'rub', 150_00n],
  ['150 руб.', 'rub', 150_00n],
  ['150 руб', 'rub', 150_00n],
  ['150 р.', 'rub', 150_00n],
  ['RUB 300,000.00', 'rub', 300_000_00n],
  ['1 500,50\u{a0}₽', 'rub', 1500_50n],
  ['150 ₸', 'kzt', 150_00n],
  ['150 soʻm', 'uzs', 150_00n],
  ['150 USD', 'rub', 'unreadable'],
  ['$150', 'rub', 'unreadable'],
  ['-5', 'rub', 'unreadable'],
  ['.50', 'rub', 'unreadable'],
  ['150.', 'rub', 'unreadable'],
  ['1e3', 'rub', 'unreadable'],
  ['150 200 ₽ 300', 'rub', 'unreadable'],
  ['٣٠٠', 'rub', 'unreadable'],
  ['', 'rub', 'missing'],
  [' \u{a0} ', 'rub', 'missing'],
  ['0', 'rub', 'too-small'],
  ['99999999999999999999', 'rub', 'too-large'],
]

for (const [typed, currency, read] of amounts) {
  test(`${JSON.stringify(typed)} in ${currency} is ${read}`, () => {
    assert.equal(readTypedAmount(typed, currency, bounds), read)
  })
}
