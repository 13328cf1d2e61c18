// The balances of a file against its rows.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutNoise } from '../../src/rules/values/currency.ts'
import type { Requisite } from '../../src/rules/requisites/requisite.ts'
import type { StatementRow } from 'bank-files/pure'
import { AccountTotals } from '../../src/rules/statements/account-totals.ts'

/** What a file with these balances and one credit of 66.00 is refused for. */
const contradictionOf = (opening: string | null, closing: string | null, credits: string | null = null) => {
  const totals = new AccountTotals()
  totals.addRow({ account: 'A', direction: 'credit' } as StatementRow, 66_00n)
  const balance = { line: 1, account: 'A', currency: 'eur', opening, closing, credits, debits: null }
  return totals.addBalance(balance, { id: 'r', currency: 'eur', numberMasked: '' } as Requisite)
}

const agreeing: readonly (readonly [opening: string | null, closing: string | null, credits?: string])[] = [
  ['100.00', '166.00'],
  ['100.0000000000005', '166.00000000000003'],
  ['99.99999999999997', '165.9999999999999', '66.00000000000001'],
  ['-100.00000000000003', '-34.00000000000003'],
  [null, '166.0000000'],
  ['100.00', null],
]

const refused: readonly (readonly [
  opening: string | null,
  closing: string | null,
  reason: RegExp,
  credits?: string,
])[] = [
  ['100.0000000000005', '999.0000000000001', /100\.00 \+ 66\.00 − 0\.00 = 166\.00, but the closing balance is 999\.00/],
  ['100.001', '166.00', /the opening balance is 100\.001, which is more exact than eur allows/],
  ['100.00', '166.0000011', /the closing balance is 166\.0000011, which is more exact/],
  [null, '1666666666666666.00', /the closing balance is 1666666666666666\.00, which is too large/],
  ['100.00', '166.00', /the sum of its credits is 66\.005, which is more exact/, '66.005'],
]

describe('balances', () => {
  for (const [opening, closing, credits] of agreeing)
    test(`${opening} and ${closing} agree with a credit of 66.00`, () =>
      assert.equal(contradictionOf(opening, closing, credits ?? null), undefined))

  for (const [opening, closing, reason, credits] of refused)
    test(`${opening} and ${closing}${credits ? ` with credits of ${credits}` : ''} are refused`, () =>
      assert.match(contradictionOf(opening, closing, credits ?? null) ?? '', reason))
})

test('only what is less than a millionth off is taken for noise', () => {
  for (const [text, decimals, expected] of [
    ['166.00000000000003', 2, '166.00'],
    ['0.30000000000000004', 2, '0.30'],
    ['-0.0000000000000001', 2, '0.00'],
    ['9.99999999999', 0, '10'],
    ['1.2340000001', 3, '1.234'],
    ['1.0000009', 2, '1.00'],
    ['1.0000010', 2, '1.0000010'],
    ['1.005', 2, '1.005'],
    ['1.00', 2, '1.00'],
    ['1,0000000001', 2, '1,0000000001'],
  ] as const)
    assert.equal(withoutNoise(text, decimals).replace(/^-(?=0\.00$)/, ''), expected, text)
})
