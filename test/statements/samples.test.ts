// Statements that nobody here wrote, read from where the material of the project lies, where it lies on this machine.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { checkBalances } from '../../src/statements/check-balances.ts'
import { readFile } from '../support/read-file.ts'
import { parseDecimal } from '../../src/domain/decimal.ts'

const folder = resolve(import.meta.dirname, '../../../shared/data/statements')
const skip = existsSync(folder) ? false : 'the samples are not on this machine'

/** Rows, and what is wrong: the line and a part of the reason. */
type Expected = { readonly rows: number; readonly fault?: readonly [line: number, reason: RegExp] }

const expected: Readonly<Record<string, Expected>> = {
  'camt053.v2.five.decimals.xml': {
    rows: 1,
    fault: [107, /opening \+ credits − debits is 18\.15 \+ 8\.85 − 0\.00 = 27\.00, but the closing balance is 27\.05/],
  },
  'camt053.v2.minimal.xml': { rows: 1, fault: [171, /opening balance is in eur, the closing one in sek/] },
  'camt053.v2.multi.statement.xml': { rows: 2 },
  'camt053.v2.wrong.xml': { rows: 0, fault: [10, /no statement in it/] },
  'camt053.v4.xml': { rows: 1, fault: [192, /opening balance is in eur/] },
  'camt053.v8.xml': { rows: 1, fault: [199, /opening balance is in eur/] },
  'camt054.v4.xml': { rows: 1 },
  'cmxl-mt940.sta': { rows: 16 },
  'jejik-generic.sta': { rows: 2 },
  'jejik-ing.sta': { rows: 7, fault: [26, /but the closing balance is 3\.47/] },
  'sberbank-171011_01234945.sta': { rows: 3 },
  'self-provided-february_30.sta': { rows: 1 },
  'self-provided-malformed_details.sta': { rows: 1, fault: [15, /but the closing balance is 12345\.98/] },
}

describe('samples', { skip }, () => {
  const paths = skip
    ? []
    : ['camt', 'mt940'].flatMap((kind) =>
        readdirSync(join(folder, kind))
          .filter((name) => name !== 'LICENSE')
          .map((name) => [name, join(folder, kind, name)] as const),
      )

  test('every sample is known here', () => {
    assert.deepEqual(new Set(paths.map(([name]) => name)), new Set(Object.keys(expected)))
  })

  for (const [name, path] of paths) {
    test(`${name} is read, or refused with a line and a reason`, async () => {
      const { rows, balances, faults } = await readFile(readFileSync(path))
      const sums = { credits: 0n, debits: 0n }
      for (const balance of balances) {
        const before = balances[balances.indexOf(balance) - 1]?.line ?? 0
        const own = rows.filter((row) => row.line > before && row.line < balance.line && row.kind !== 'pending')
        const total = (direction: string) =>
          own
            .filter((row) => row.direction === direction)
            .reduce((sum, row) => sum + (parseDecimal(row.amount, 2) as bigint), 0n)
        Object.assign(sums, { credits: total('credit'), debits: total('debit') })
        const { reason } = checkBalances(balance, sums, balance.currency ?? 'eur')
        if (reason !== null) faults.push({ line: balance.line, reason })
      }
      const { rows: count, fault } = expected[name] ?? { rows: -1 }
      assert.equal(rows.length, count)
      assert.deepEqual(
        faults.map(({ line }) => line),
        fault ? [fault[0]] : [],
        JSON.stringify(faults),
      )
      if (fault) assert.match(faults[0]?.reason ?? '', fault[1])
    })
  }
})
