import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spreadReversal } from '../../src/rules/transfers/reversal.ts'
import type { PartKind } from '../../src/rules/transfers/transfer.ts'

type Row = readonly [kind: PartKind, amount: bigint, reversedAmount?: bigint, paymentId?: string]

const cases: readonly [
  title: string,
  parts: readonly Row[],
  amount: bigint,
  taken: readonly bigint[],
  certain: boolean,
][] = [
  ['a whole transfer', [['payment', 100n]], 100n, [100n], true],
  ['a part of one payment', [['payment', 100n]], 30n, [30n], true],
  ['what was taken before is not there', [['payment', 100n, 30n]], 70n, [70n], true],
  [
    'the inbox before a payment',
    [
      ['payment', 100n],
      ['suspense', 50n],
    ],
    60n,
    [10n, 50n],
    true,
  ],
  [
    'ignored money before what is owed',
    [
      ['overpayment', 40n],
      ['ignored', 30n],
    ],
    50n,
    [20n, 30n],
    true,
  ],
  [
    'what is owed before a payment',
    [
      ['payment', 100n],
      ['overpayment', 20n],
    ],
    20n,
    [0n, 20n],
    true,
  ],
  [
    'nothing of what left before',
    [
      ['reversed', 50n],
      ['payment', 50n],
    ],
    50n,
    [0n, 50n],
    true,
  ],
  [
    'one of two payments is a question',
    [
      ['payment', 60n],
      ['payment', 40n, 0n, 'b'],
    ],
    50n,
    [50n, 0n],
    false,
  ],
  [
    'even the whole of one of two is a question',
    [
      ['payment', 60n],
      ['payment', 40n, 0n, 'b'],
    ],
    60n,
    [60n, 0n],
    false,
  ],
  [
    'both payments whole',
    [
      ['payment', 60n],
      ['payment', 40n, 0n, 'b'],
    ],
    100n,
    [60n, 40n],
    true,
  ],
  [
    'two parts of one payment',
    [
      ['payment', 60n],
      ['payment', 40n],
    ],
    70n,
    [60n, 10n],
    true,
  ],
  [
    'one payment has nothing left',
    [
      ['payment', 60n, 60n],
      ['payment', 40n, 0n, 'b'],
    ],
    10n,
    [0n, 10n],
    true,
  ],
]

for (const [title, rows, amount, taken, isCertain] of cases)
  test(`a reversal takes: ${title}`, () => {
    const parts = rows.map(([kind, of, reversedAmount = 0n, paymentId = 'a']) => ({
      ...{ kind, amount: of, reversedAmount, paymentId },
    }))
    assert.deepEqual(spreadReversal(parts, amount), { taken, isCertain })
  })

test('a reversal does not take more than there is', () => {
  const part = { kind: 'payment', amount: 100n, reversedAmount: 10n, paymentId: 'a' } as const
  assert.throws(() => spreadReversal([part], 91n))
})
