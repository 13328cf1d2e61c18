// Files of banks as they come: each reproduces one way of writing that was once read wrong or refused.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { StatementRow } from '../../src/domain/statement.ts'
import { readFile } from '../support/read-file.ts'

/** What a file is read as: its rows as short texts, what is skipped, and what is wrong with it. */
type Expected = {
  readonly rows?: readonly string[]
  readonly skipped?: readonly string[]
  readonly fault?: readonly [line: number, reason: RegExp]
}

const short = ({ kind, direction, amount, currency, booked, counterparty, text }: StatementRow): string =>
  [
    kind === 'booked' ? direction : `${kind} ${direction}`,
    Number(amount).toFixed(2),
    currency,
    booked,
    counterparty.name,
    counterparty.number,
    counterparty.bank.join(' '),
    text,
  ]
    .map((part) => part ?? '')
    .join('|')
    .replace(/\|+$/, '')

const cases: Readonly<Record<string, Expected>> = {
  'debit.camt053.xml': {
    rows: ['debit|150.00|rub|2026-01-30|Anna Payee|40817810000000000042|AAAARUMM|Refund of order 7'],
    skipped: ['zero'],
  },
  'debit.1c.txt': {
    rows: ['debit|150.00|rub|2026-01-30|Анна Получатель|40817810000000000042|044525222|Возврат по заказу 7'],
    skipped: ['zero'],
  },
  'debit.mt940.sta': {
    rows: ['debit|150.00|rub|2026-01-30|Anna Payee|40817810000000000042|AAAARUMM|Refund of order 7'],
    skipped: ['zero'],
  },
}

describe('corpus', () => {
  for (const [name, { rows, skipped = [], fault }] of Object.entries(cases)) {
    test(`${name} is ${fault ? 'refused with its line' : 'read'}`, async () => {
      const read = await readFile(readFileSync(join(import.meta.dirname, 'corpus', name)))
      if (fault) {
        assert.equal(read.faults[0]?.line, fault[0], JSON.stringify(read.faults))
        assert.match(read.faults[0]?.reason ?? '', fault[1])
        return
      }
      assert.deepEqual(read.faults, [])
      assert.deepEqual(read.rows.map(short), rows)
      assert.deepEqual(read.skipped, skipped)
    })
  }
})
