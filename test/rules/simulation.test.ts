import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type SimulatedEvent,
  type SimulatedStep,
  simulatedEvents,
  simulateEvent,
  storyOf,
} from '../../src/rules/sandbox/simulation.ts'

const shown = (steps: readonly SimulatedStep[]): string =>
  steps
    .map((step) => {
      const amount = 'amount' in step && step.amount !== null ? `${step.amount}` : ''
      return `${step.delayMs}:${step.action === 'transfer' ? amount : `${step.action}${amount && ` ${amount}`}`}`
    })
    .join(' ')

const disputed = '100:end-time 101:open-dispute'

const events: readonly (readonly [event: SimulatedEvent, amount: bigint, money: bigint | undefined, steps: string])[] =
  [
    ['paid', 5000_00n, undefined, '100:500000'],
    ['paid', 5000_00n, 7n, '100:7'],
    ['partial', 5000_00n, undefined, '100:250000'],
    ['partial', 1n, undefined, '100:1'],
    ['underpaid', 5000_00n, undefined, '100:450000 101:end-time'],
    ['underpaid', 1n, undefined, '100:1 101:end-time'],
    ['overpaid', 5000_00n, undefined, '100:550000'],
    ['overpaid', 1n, undefined, '100:2'],
    ['late', 5000_00n, undefined, '100:end-time 101:500000'],
    ['expired', 5000_00n, undefined, '100:end-time'],
    ['duplicate', 5000_00n, undefined, '100:500000 1100:500000'],
    ['reversed', 5000_00n, undefined, '100:500000 1100:reversal'],
    ['reversed', 5000_00n, 7n, '100:500000 1100:reversal 7'],
    ['dispute-opened', 5000_00n, undefined, disputed],
    ['dispute-opened', 5000_00n, 7n, `${disputed} 7`],
    ['dispute-accepted', 5000_00n, undefined, `${disputed} 102:accept-dispute`],
    ['dispute-accepted', 5000_00n, 7n, `${disputed} 7 102:accept-dispute 7`],
    ['dispute-rejected', 5000_00n, undefined, `${disputed} 102:reject-dispute`],
    ['failed', 5000_00n, undefined, '100:fail'],
    ['ack-overdue', 5000_00n, undefined, '100:500000 1100:remind'],
    ['settled', 5000_00n, undefined, '100:500000 1100:settle'],
    ['refunded', 5000_00n, undefined, '100:500000 1100:refund 250000'],
    ['refunded', 1n, undefined, '100:1 1100:refund 1'],
    ['refund-failed', 5000_00n, 7n, '100:500000 1100:fail-refund 7'],
  ]

for (const [event, amount, money, steps] of events) {
  test(`${event} of ${amount}${money === undefined ? '' : ` with ${money}`} plays ${steps}`, () =>
    assert.equal(shown(simulateEvent(event, { amount, isCredited: false }, money, 100)), steps))
}

test('what is credited is not paid again', () => {
  const after = (event: SimulatedEvent) => shown(simulateEvent(event, { amount: 7n, isCredited: true }, undefined, 100))
  assert.deepEqual((['reversed', 'ack-overdue', 'settled', 'refunded'] as const).map(after), [
    '100:reversal',
    '100:remind',
    '100:settle',
    '100:refund 3',
  ])
})

test('every event is in the table', () => {
  assert.deepEqual(new Set(events.map(([event]) => event)), new Set(simulatedEvents))
})

const stories: readonly (readonly [amount: bigint, currency: string, story: string])[] = [
  [5000_00n, 'rub', ''],
  [5000_01n, 'rub', '2000:500001'],
  [5000_02n, 'rub', '2000:250001 4000:250001'],
  [5000_03n, 'rub', '2000:450002 2001:end-time'],
  [5000_04n, 'rub', '2000:550004'],
  [5000_05n, 'rub', ''],
  [5000_06n, 'rub', '10000:end-time 12000:500006'],
  [5000_07n, 'rub', ''],
  [5000_08n, 'rub', '2000:250004 4000:250004'],
  [5000_09n, 'rub', '2000:500009'],
  [5000_10n, 'rub', ''],
  [5001n, 'jpy', ''],
  [5000_001n, 'kwd', ''],
]

for (const [amount, currency, story] of stories) {
  test(`${amount} minor units of ${currency} tell ${story || 'no story'}`, () =>
    assert.equal(shown(storyOf(amount, currency).steps?.(amount) ?? []), story))
}

test('only the last two digits of currencies with two decimals tell a story', () => {
  assert.deepEqual(storyOf(5000_07n, 'rub'), { lacksRequisite: true })
  assert.deepEqual(storyOf(5000_37n, 'rub'), {})
  assert.deepEqual(storyOf(5007n, 'jpy'), {})
  assert.deepEqual(storyOf(5007n, 'kwd'), {})
})

test('the two parts of .02 add up to the amount, and no story sends nothing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), (whole) => {
      const steps = storyOf(whole * 100n + 2n, 'rub').steps?.(whole * 100n + 2n) ?? []
      assert.equal(
        steps.reduce((sum, step) => sum + (step.action === 'transfer' ? step.amount : 0n), 0n),
        whole * 100n + 2n,
      )
      for (const event of simulatedEvents) {
        for (const step of simulateEvent(event, { amount: whole, isCredited: false }, undefined, 0)) {
          assert.ok(step.action !== 'transfer' || step.amount > 0n)
        }
      }
    }),
  )
})
