// Whose money a refund returns: who sent the most to the payment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mainSenders } from '../../src/rules/transfers/announced.ts'

type Sent = readonly [number: string | null, name: string | null, sent: bigint]

const cases: readonly (readonly [title: string, sent: readonly Sent[], payers: readonly number[]])[] = [
  [
    'the sum of a sender counts',
    [
      ['79161234567', 'A', 30n],
      ['79160000000', 'B', 40n],
      ['+7 916 123-45-67', 'A', 20n],
    ],
    [0],
  ],
  [
    'several who sent the same are payers',
    [
      ['79161234567', 'A', 50n],
      [null, 'B', 50n],
      [null, 'C', 1n],
    ],
    [0, 1],
  ],
  [
    'another name with the number of a payer is another sender',
    [
      ['79161234567', 'B', 1n],
      ['79161234567', 'A', 50n],
    ],
    [1],
  ],
  [
    'a sender without number and name is one, too',
    [
      [null, null, 1n],
      ['79161234567', 'A', 50n],
    ],
    [1],
  ],
  ['nothing came, and nobody is known', [[null, null, 0n]], [0]],
]

for (const [title, rows, payers] of cases)
  test(title, () => {
    const transfers = rows.map(([number, name, sent]) => ({ number, name, sent }))
    assert.deepEqual(
      mainSenders(transfers).payers,
      payers.map((index) => transfers[index]),
    )
  })
