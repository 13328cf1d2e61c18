// Bank files: what is read of every format, and what is refused with which line.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseDecimal } from '../src/amount.ts'
import { readFile } from './support/read-file.ts'
import { camtOf, csvOf, encode, exchangeOf, type Made, type MadeRow, mt940Of } from './support/made-files.ts'

const account = '40702810900000000001'

const formats: Readonly<Record<string, (made: Made) => string | Buffer>> = {
  'camt v2': (made) => camtOf(made, '02'),
  'camt v13': (made) => camtOf(made, '13'),
  '1c utf-8': (made) => exchangeOf(made),
  '1c windows-1251': (made) => encode(exchangeOf(made), 'windows-1251'),
  '1c cp866': (made) => encode(exchangeOf(made, 'DOS'), 'ibm866'),
  mt940: mt940Of,
  csv: csvOf,
  'csv windows-1251': (made) => encode(csvOf(made), 'windows-1251'),
}

const words = fc
  .array(fc.constantFrom('Оплата', 'заказ', 'по', 'счету', 'от', 'Иванова', 'N', 'плата "за" услуги', 'A&B', '<x>'), {
    maxLength: 6,
  })
  .map((each) => each.join(' '))
const madeRow: fc.Arbitrary<MadeRow> = fc
  .record({
    minor: fc.oneof(fc.bigInt(1n, 99_999_999_99n), fc.bigInt(-99_999_99n, -1n)),
    day: fc.integer({ min: 1, max: 28 }),
    reference: fc.option(fc.stringMatching(/^[A-C1-9]{1,12}$/), {
      nil: undefined,
    }),
    text: words,
    payerAccount: fc.option(fc.constantFrom('40817810000000001234', '40817810500000005678'), { nil: undefined }),
  })
  .map(({ minor, day, reference, text, payerAccount }) => ({
    minor,
    date: `2026-01-${String(day).padStart(2, '0')}`,
    text,
    ...(reference === undefined ? {} : { reference }),
    ...(payerAccount === undefined ? {} : { payerAccount }),
  }))
const made: fc.Arbitrary<Made> = fc.record({
  account: fc.constant(account),
  opening: fc.bigInt(0n, 1_000_000_00n),
  rows: fc.array(madeRow, { maxLength: 12 }),
})

const minorOf = (text: string): bigint => {
  const value = parseDecimal(text, 2)
  if (typeof value !== 'bigint') throw new Error(text)
  return value
}

const essence = (rows: readonly { direction: string; amount: string; booked: string }[]) =>
  rows.map((row) => [row.direction === 'credit' ? minorOf(row.amount) : -minorOf(row.amount), row.booked])

describe('random statements', () => {
  for (const [name, render] of Object.entries(formats)) {
    test(`${name}: the rows are those that were written, however the file is cut`, async () => {
      await fc.assert(
        fc.asyncProperty(made, fc.integer({ min: 1, max: 300 }), async (statement, pieceBytes) => {
          const { rows, balances, faults } = await readFile(render(statement), { pieceBytes })
          assert.deepEqual(faults, [])
          assert.deepEqual(
            essence(rows),
            statement.rows.map((row) => [row.minor, row.date]),
          )
          assert.equal(balances.length, 1)
          assert.equal(minorOf(balances[0]?.opening ?? ''), statement.opening)
          const closing = statement.rows.reduce((sum, row) => sum + row.minor, statement.opening ?? 0n)
          assert.equal(minorOf(balances[0]?.closing ?? ''), closing)
        }),
        { numRuns: 60 },
      )
    })

    test(`${name}: a file that is cut off anywhere is refused with a line, or nothing of it is missing`, async () => {
      const statement: Made = {
        account,
        opening: 100_00n,
        rows: [
          { minor: 5000_37n, date: '2026-01-30', reference: 'A1', text: 'Оплата заказа' },
          { minor: -10_00n, date: '2026-01-31', text: 'Комиссия' },
        ],
      }
      const whole = Buffer.from(render(statement))
      const { rows: all } = await readFile(whole)
      for (let length = 0; length < whole.length; length++) {
        const { rows, balances, faults } = await readFile(whole.subarray(0, length))
        const isWhole = faults.length === 0 && balances.at(-1)?.closing !== null
        if (faults.length > 0) {
          assert.ok(
            faults.every(({ line, reason }) => line >= 1 && reason.length > 10),
            JSON.stringify(faults),
          )
        } else if (isWhole) {
          assert.deepEqual(essence(rows), essence(all), `cut at ${length}`)
        } else {
          // A CSV without its last line, and no other, has no end of its own.
          assert.match(name, /^csv/)
        }
      }
    })

    test(`${name}: a file with a wrong byte anywhere is refused, or read; nothing else happens`, async () => {
      const whole = Buffer.from(
        render({ account, opening: 1n, rows: [{ minor: 100_00n, date: '2026-01-31', text: 'Текст' }] }),
      )
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), async (at, byte) => {
          const wrong = Buffer.from(whole)
          wrong[at] = byte
          const { faults } = await readFile(wrong)
          assert.ok(faults.every(({ line, reason }) => line >= 1 && reason !== ''))
        }),
        { numRuns: 300 },
      )
    })
  }
})
