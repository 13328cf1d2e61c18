// Files of public bug reports, read from where they are on this machine. The corpus has each kind of them.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import type { StatementRow } from '../../src/domain/statement.ts'
import { readFile } from '../support/read-file.ts'

const reported = 'shared/data/cases'
const folder = ['../../..', '../../../..']
  .map((up) => resolve(import.meta.dirname, up, reported))
  .find((path) => existsSync(path))
const skip = folder === undefined ? `the reported files (${reported}) are not on this machine` : false
if (skip) console.error(`NOT RUN: ${skip}. Each kind is repeated by files of test/statements/corpus.`)

const cases: Readonly<Record<string, readonly string[] | RegExp>> = {
  '01-mt940-value-date-other-year.sta': ['2026-01-02|40.00|Payer One|Korrektur', '2026-01-02|10.00|Payer Two|Normal'],
  '08-mt940-text-like-tag-25.sta': [
    '2026-11-23|12.00|Payer One|order-900sent 23.11.2026T14:25:07 Konto 77',
    '2026-11-23|13.00|Payer Two|order-901',
  ],
  '09-mt940-text-like-tag-20.sta': [
    '2026-11-24|12.00|Payer One|order-902sent 24.11.2026T14:20:37 Konto 77',
    '2026-11-24|13.00|Payer Two|order-903',
  ],
  '10-mt940-text-like-unknown-tag.sta': ['2026-11-25|12.00|Payer One|sent 25.11.2026T14:26:37 for order-904'],
  '11-mt940-dash-line.sta': [
    '2026-11-23|12.00||GUTSCHRIFT FUER ORDER 910 - RATE 2 VON 3 - -REST PAYER ONE',
    '2026-11-23|13.00||ORDER 911 -AB PAYER TWO',
  ],
  '18-ofx-wrong-end-tag.ofx': ['2026-11-23|10.00|Payer|', '2026-11-23|11.00|Payer|'],
  '21-mt940-without-20.sta': ['2026-11-25|7.00|PAYER THREE|ORDER 912'],
  '24-ofx-comma-with-three-digits.ofx': /^25: .*"1,650" may be 1\.650 or 1650/,
  'p10-mt940-86-after-62F.sta': ['2026-11-23|12.00||ORDER 920 PAYER ONE'],
  'p11-mt940-62F-next-day.sta': ['2026-11-24|8.00||ORDER 921 PAYER ONE'],
}

const short = ({ booked, amount, counterparty, text }: StatementRow): string =>
  [booked, amount, counterparty.name, text].join('|')

describe('reported files of MT940 and OFX', { skip }, () => {
  for (const [name, expected] of Object.entries(cases))
    test(`${name} is ${expected instanceof RegExp ? 'refused with its line' : 'read'}`, async () => {
      const { rows, faults } = await readFile(readFileSync(join(folder ?? '', name)))
      const [first] = faults
      if (expected instanceof RegExp) return assert.match(`${first?.line}: ${first?.reason}`, expected)
      assert.deepEqual(faults, [])
      assert.deepEqual(rows.map(short), expected)
      if (name.startsWith('18'))
        assert.deepEqual(
          rows.map(({ reference }) => reference),
          [null, null],
        )
    })
})
