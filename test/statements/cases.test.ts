// Files of public bug reports, where they are on this machine: what each must be read as.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { readFile } from '../support/read-file.ts'

const folder = ['../../..', '../../../..']
  .map((up) => resolve(import.meta.dirname, up, 'shared/data/cases'))
  .find((path) => existsSync(path))
if (folder === undefined)
  console.error(
    'NOT RUN: the files of bug reports. Each way of writing in them is in a file of test/statements/corpus.',
  )

/** Rows as direction, amount, day, name and text. */
const expected: Readonly<Record<string, readonly string[]>> = {
  '12-1c-incoming-with-date-of-debit.txt': ['credit 1500.00 2026-11-27 Петров Петр: Оплата tink-1'],
  '14-1c-purpose-in-parts.txt': ['credit 700.00 2026-11-24 Анна: Оплата за услуги по заказу order-B5'],
  '15-1c-purpose-over-lines.txt': ['credit 701.00 2026-11-24 Анна: Оплата за услуги по заказу order-B6'],
  'p17-1c-days-and-decimals.txt': [
    'credit 1.50 2026-11-23 Анна: order-B2',
    'credit 3000.00 2026-11-24 Борис: order-B3',
  ],
  '16-camt-amount-forms.xml': ['0.50', '7.25', '12.00', '149.87'].map((amount) => `credit ${amount} 2026-11-23 : `),
  '20-camt-parts-lose-payers-1.xml': [
    'credit 215.40 2026-11-24 Anna Berg: order-A3',
    'credit 48.50 2026-11-24 Bert Cohn: order-A4',
  ],
  '20-camt-parts-lose-payers-2.xml': [
    'credit 980.00 2026-11-24 Anna Berg: order-970',
    'credit 494.00 2026-11-24 Bert Cohn: order-971',
  ],
  'p05-camt-wise.xml': ['credit 100.00 2026-11-24 : ', 'debit 11.84 2026-11-24 : '],
  'p06-camt-envelope.xml': ['credit 20.00 2026-11-25 Anna Berg: order-996'],
  'p07-camt-fx.xml': [
    'credit 8412.60 2026-11-24 Anna Berg: order-980',
    'credit 8412.60 2026-11-25 Bert Cohn: order-981',
  ],
}

if (folder !== undefined)
  for (const [name, rows] of Object.entries(expected))
    test(`${name} is read`, async () => {
      const read = await readFile(readFileSync(join(folder, name)))
      assert.deepEqual(read.faults, [])
      assert.deepEqual(
        read.rows.map(
          ({ direction, amount, booked, counterparty, text }) =>
            `${direction} ${Number(amount).toFixed(2)} ${booked.slice(0, 10)} ${counterparty.name ?? ''}: ${text ?? ''}`,
        ),
        rows,
      )
    })
