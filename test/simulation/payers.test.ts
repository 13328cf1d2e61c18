// What payers, attackers and banks do, made up by a seed, and what the rules of matching make of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playWorld, type WorldCounts, type WorldPlan } from '../support/payer-world.ts'
import { randomFrom } from '../support/random.ts'
import { countOf, seedOf } from '../support/torture.ts'

const rub = (amount: number): bigint => BigInt(amount) * 100n

const honest = {
  ...{ late: 50, twice: 10, halves: 10, rounds: 5, mistypes: 5, leaves: 80, 'cancels-and-pays': 5 },
  ...{ lends: 10, wrongNames: 30, wrongNumbers: 10, wrongBanks: 20, attackers: 0 },
}

const market: WorldPlan = {
  ...{ accounts: 60, people: 5000, payments: countOf(4000), everyMs: 8000, staged: 60, claims: 60, randomAmounts: 70 },
  prices: [490, 990, 1490, 1990, 4990, 9990].map(rub),
  habits: honest,
  reporting: { whole: 50, masked: 15, named: 85, banks: 80, texts: 15, days: 5 },
}

/** So few accounts that every sixth payment shares its amount. */
const crowded: WorldPlan = { ...market, accounts: 12, payments: Math.min(countOf(2000), 20_000) }

/** One SBP account and one price, 20 customers an hour, all of them at a page that asks for their names. */
const kiosk: WorldPlan = {
  ...market,
  ...{
    accounts: 1,
    payments: Math.min(countOf(1000), 5000),
    everyMs: 180_000,
    staged: 100,
    randomAmounts: 0,
    prices: [rub(990)],
  },
  habits: {
    ...{ late: 50, twice: 10, halves: 10, rounds: 0, mistypes: 0, leaves: 0, 'cancels-and-pays': 0, lends: 0 },
    ...{ wrongNames: 30, wrongNumbers: 0, wrongBanks: 20, attackers: 0 },
  },
  reporting: { whole: 30, masked: 0, named: 100, banks: 100, texts: 0, days: 0 },
}

const describe = ({ wrong, reasons, ...counts }: WorldCounts): string =>
  `${JSON.stringify(counts)} wrong ${wrong.length} ${wrong.slice(0, 5).join('\n')}\n${[...reasons].map(([why, times]) => `${times} ${why}`).join('\n')}`

const shareOf = (part: number, whole: number): number => part / whole

test('in a market with honest payers money finds its payment, and nearly all of it without a person', () => {
  const counts = playWorld(randomFrom(seedOf()), market)
  assert.deepEqual(counts.wrong, [], describe(counts))
  assert.ok(shareOf(counts.automatic, counts.transfers) >= 0.95, describe(counts))
  assert.ok(shareOf(counts.firstRight, counts.suggested) >= 0.95, describe(counts))
})

test('with attackers who hold the amounts and type the numbers of others nobody gets the money of another one', () => {
  const counts = playWorld(randomFrom(seedOf() + 1), { ...market, habits: { ...honest, attackers: 50 } })
  assert.deepEqual(counts.wrong, [], describe(counts))
  assert.ok(counts.created > counts.refused, describe(counts))
})

test("attackers who share an amount with others get nobody's money", () => {
  for (const [index, plan] of [crowded, kiosk].entries()) {
    const counts = playWorld(randomFrom(seedOf() + 3 + index), { ...plan, habits: { ...plan.habits, attackers: 50 } })
    assert.deepEqual(counts.wrong, [], describe(counts))
    assert.ok(counts.shared > counts.created / 10, describe(counts))
  }
})

test('a shop with one account and one price sells 20 an hour: none is refused, none wrong, 92 of 100 without a person', () => {
  const counts = playWorld(randomFrom(seedOf() + 2), kiosk)
  assert.equal(counts.refused, 0)
  assert.ok(counts.shared > counts.created / 2, describe(counts))
  assert.deepEqual(counts.wrong, [], describe(counts))
  assert.ok(shareOf(counts.automatic, counts.transfers) >= 0.92, describe(counts))
})
