import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findPauseCause,
  type PauseCause,
  type MerchantRuns,
  successRate,
} from '../../src/rules/requisites/requisite-health.ts'
import { start } from '../support/builders.ts'

const health = (fields: Partial<MerchantRuns> = {}): MerchantRuns => ({
  requisiteId: 'requisite',
  lastPaidAt: null,
  expiredRun: 0,
  expiredSince: null,
  unmatchedRun: 0,
  expiredOfOne: 0,
  ...fields,
})

const failing = { expiredRun: 3, expiredSince: start }
const paidSince = health({ lastPaidAt: start + 1 })

type Case = readonly [
  title: string,
  cause: PauseCause | undefined,
  health: Partial<MerchantRuns>,
  others: MerchantRuns[],
  limit: number | null,
  isShared?: boolean,
]

const cases: readonly Case[] = [
  ['a run while another one was paid', 'expired', failing, [health(), paidSince], 3],
  ['a shorter run', undefined, { ...failing, expiredRun: 2 }, [paidSince], 3],
  ['a run while nobody was paid', undefined, failing, [health()], 3],
  ['a run while another one was paid only before', undefined, failing, [health({ lastPaidAt: start })], 3],
  ['a run without a limit', undefined, failing, [paidSince], null],
  ['a run on the last active one', undefined, failing, [], 3],
  ['a run of one merchant on a requisite of its own', 'expired', { ...failing, expiredOfOne: 3 }, [paidSince], 3],
  ['a run of one merchant on a shared one', undefined, { ...failing, expiredOfOne: 3 }, [paidSince], 3, true],
  ['… however long', undefined, { ...failing, expiredRun: 90, expiredOfOne: 90 }, [paidSince], 2, true],
  [
    'a run of one merchant and some others',
    undefined,
    { ...failing, expiredRun: 12, expiredOfOne: 8 },
    [paidSince],
    10,
    true,
  ],
  [
    'a run that other merchants have half of',
    'expired',
    { ...failing, expiredRun: 13, expiredOfOne: 8 },
    [paidSince],
    10,
    true,
  ],
  ['unknown transfers', 'unmatched', { unmatchedRun: 3 }, [health()], 3],
  ['fewer unknown transfers', undefined, { unmatchedRun: 2 }, [health()], 3],
  ['unknown transfers on the last active one', undefined, { unmatchedRun: 9 }, [], 3],
]

for (const [title, cause, fields, others, limit, isShared = false] of cases) {
  test(`${title}: ${cause === undefined ? 'goes on' : 'rests'}`, () => {
    assert.equal(findPauseCause(health(fields), others, limit, isShared), cause)
  })
}

test('a success rate is of decided payments only', () => {
  assert.equal(successRate({ payments: 0, paid: 0, expired: 0 }), null)
  assert.equal(successRate({ payments: 9, paid: 3, expired: 1 }), 0.75)
})
