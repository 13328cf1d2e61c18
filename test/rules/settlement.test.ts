import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { balanceChanges, type Posting } from '../../src/rules/money/ledger.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import {
  needsSecondPerson,
  holdingStatuses,
  newSettlement,
  postSettlement,
  refuseRequest,
  type Settlement,
  settledAmount,
  type SettlementStatus,
  type SettlementStep,
  settlementStatuses,
  settlementTransitions,
  takeSettlementStep,
  unprovenShare,
} from '../../src/rules/money/settlement.ts'
import { start } from '../support/builders.ts'

const draft = (amount = 100_000000n, threshold = 1000_000000n): Settlement =>
  newSettlement(
    {
      merchantId: 'm',
      id: 's',
      reference: 'r',
      currency: 'USDT',
      amount,
      destination: 'd',
      destinationId: null,
      requestedBy: null,
      draftedBy: 'operator:anna',
      secondPerson: needsSecondPerson(amount, { above: threshold, lately: 0n }),
    },
    start,
  )

const request = (amount: bigint): Settlement => ({
  ...draft(amount),
  ...{ status: 'requested', requestedBy: 'merchant:m', draftedBy: null },
})

const cancel: SettlementStep = { step: 'cancel', actor: 'merchant:m' }
const approve = (actor: string): SettlementStep => ({ step: 'approve', actor })
const pay = (externalReference: string): SettlementStep => ({ step: 'pay', actor: 'operator:anna', externalReference })
const fail = (failure: string): SettlementStep => ({ step: 'fail', actor: 'operator:anna', failure })

/** Statuses and movements of a sequence of steps; a refused step is its code. */
const play = (first: Settlement, steps: readonly SettlementStep[]): string[] => {
  let settlement = first
  return steps.map((step) => {
    const taken = takeSettlementStep(settlement, step, start + 1)
    if (taken instanceof Refusal) return taken.code
    settlement = taken.settlement
    return [settlement.status, ...(taken.posting ? [taken.posting.kind] : [])].join(' ')
  })
}

const stories: readonly (readonly [title: string, amount: bigint, SettlementStep[], string[]])[] = [
  ['approved and paid', 1n, [approve('operator:anna'), pay('x')], ['approved', 'paid payout']],
  [
    'each step twice',
    1n,
    [approve('operator:anna'), approve('operator:anna'), pay('x'), pay('x')],
    ['approved', 'approved', 'paid payout', 'paid'],
  ],
  ['not paid before it is approved', 1n, [pay('x')], ['invalid_state']],
  [
    'not paid under two names',
    1n,
    [approve('operator:anna'), pay('x'), pay('y')],
    ['approved', 'paid payout', 'invalid_state'],
  ],
  ['a draft fails', 1n, [fail('no'), fail('no'), fail('yes')], ['failed release', 'failed', 'invalid_state']],
  [
    'an approved one fails',
    1n,
    [approve('operator:anna'), fail('no'), pay('x')],
    ['approved', 'failed release', 'invalid_state'],
  ],
  [
    'a failed one is not approved again',
    1n,
    [approve('operator:anna'), fail('no'), approve('operator:anna')],
    ['approved', 'failed release', 'invalid_state'],
  ],
  [
    'a paid one does not fail',
    1n,
    [approve('operator:anna'), pay('x'), fail('no')],
    ['approved', 'paid payout', 'invalid_state'],
  ],
  [
    'a large one needs a second person',
    1000_000001n,
    [approve('operator:anna'), approve('operator:boris')],
    ['second_person_required', 'approved'],
  ],
  ['one at the threshold does not', 1000_000000n, [approve('operator:anna')], ['approved']],
]

for (const [title, amount, steps, expected] of stories) {
  test(title, () => assert.deepEqual(play(draft(amount), steps), expected))
}

const requestStories: typeof stories = [
  ['one approves and pays it', 1n, [approve('operator:anna'), pay('x')], ['approved', 'paid payout']],
  ['it is not paid at once', 1n, [pay('x')], ['invalid_state']],
  [
    'a large one becomes a draft',
    1000_000001n,
    [approve('operator:anna'), pay('x'), approve('operator:anna'), approve('operator:boris'), pay('x')],
    ['draft', 'invalid_state', 'second_person_required', 'approved', 'paid payout'],
  ],
  ['it is canceled', 1n, [cancel, cancel, approve('operator:anna')], ['canceled release', 'canceled', 'invalid_state']],
  ['a draft of it is canceled', 1000_000001n, [approve('operator:anna'), cancel], ['draft', 'canceled release']],
  ['an approved one is not', 1n, [approve('operator:anna'), cancel], ['approved', 'invalid_state']],
  ['it fails', 1n, [fail('no'), cancel], ['failed release', 'invalid_state']],
]

for (const [title, amount, steps, expected] of requestStories) {
  test(`what a merchant asks for: ${title}`, () => assert.deepEqual(play(request(amount), steps), expected))
}

test('a merchant cancels nothing that an operator drafted', () => {
  assert.deepEqual(play(draft(1n), [cancel]), ['invalid_state'])
})

test('what a merchant asks for has its bounds', () => {
  const none = { quoteCurrency: 'USDT', minSettlement: null, maxSettlementPerDay: null }
  const bounds = { ...none, minSettlement: 10, maxSettlementPerDay: 100 }
  const cases = [
    [none, 'rub', 1n, 19, 0, undefined],
    [none, 'USDT', 1n, 20, 0, '20 settlements already wait for the operator.'],
    [bounds, 'USDT', 10_000_000n, 0, 90, undefined],
    [bounds, 'USDT', 9_999_999n, 0, 0, 'The least settlement is 10.000000 USDT.'],
    [
      bounds,
      'USDT',
      10_000_001n,
      0,
      90,
      'Within 24 hours at most 100.000000 USDT can be asked for, and 90.000000 USDT were.',
    ],
    [bounds, 'rub', 1_000_00n, 0, 0, 'Only a balance in USDT can be asked for: ask the operator.'],
  ] as const
  for (const [settings, currency, amount, open, lately, why] of cases)
    assert.equal(
      refuseRequest({ currency, amount }, { open, amount: BigInt(lately) * 1_000_000n }, settings)?.message,
      why,
    )
})

test('a draft that is to be paid is too early, not too late', () => {
  const refused = takeSettlementStep(draft(1n), pay('x'), start + 1)
  assert.match(refused instanceof Refusal ? refused.message : '', /must be approved before it is paid/)
})

test('every status is reached, and only paid, failed and canceled are the end, unless a bank proves no longer', () => {
  const reached = new Set<SettlementStatus>(['requested', ...settlementTransitions.map((each) => each.to)])
  assert.deepEqual(reached, new Set(settlementStatuses))
  const left = new Set(settlementTransitions.flatMap(({ step, from }) => (step === 'unprove' ? [] : from)))
  assert.deepEqual(left, new Set(['requested', 'draft', 'approved']))
})

test('whatever is tried, the amount is held, paid out or back, once', () => {
  const step = fc.oneof(
    fc.constantFrom('operator:anna', 'operator:boris').map(approve),
    fc.constantFrom('x', 'y').map(pay),
    fc.constantFrom('no', 'never').map(fail),
    fc.constant(cancel),
    fc.constantFrom('x', 'z').map((payout) => ({ ...pay(payout), isProven: true }) as const),
    fc.constant({ step: 'unprove', actor: 'operator:anna' } as const),
  )
  const amount = fc.bigInt({ min: 1n, max: 2000_000000n })
  fc.assert(
    fc.property(amount, fc.boolean(), fc.array(step, { maxLength: 8 }), (minor, isRequested, steps) => {
      let settlement = isRequested ? request(minor) : draft(minor)
      const postings: Posting[] = [postSettlement(settlement, 'hold')]
      for (const each of steps) {
        const taken = takeSettlementStep(settlement, each, start + 1)
        if (taken instanceof Refusal) continue
        assert.equal(taken.settlement.sequence - settlement.sequence, taken.settlement === settlement ? 0 : 1)
        settlement = taken.settlement
        if (taken.posting) postings.push(taken.posting)
      }
      const balances = new Map(balanceChanges(postings).map((each) => [each.account, each.change]))
      const { status, approvedBy, draftedBy, secondPerson } = settlement
      assert.equal(
        balances.get('merchant:m:available') ?? 0n,
        status === 'failed' || status === 'canceled' ? 0n : minor,
      )
      assert.equal(balances.get('merchant:m:held') ?? 0n, holdingStatuses.includes(status) ? -minor : 0n)
      assert.equal(balances.get('merchant:m:paid-out') ?? 0n, status === 'paid' ? -minor : 0n)
      if (secondPerson && status === 'paid') assert.notEqual(approvedBy, draftedBy)
    }),
    { numRuns: 5000 },
  )
})

const micro = (usdt: number): bigint => BigInt(usdt) * 1_000_000n

test('a settlement takes what is available, less what waits for a proof', () => {
  const notCovered = "The merchant's available balance does not cover this settlement."
  const waits =
    /^(\d+)\.0{6} USDT of the available balance cannot be settled yet: .* At most (\d+)\.0{6} USDT can be settled now\.$/
  const cases: readonly [
    wanted: number | null,
    available: number,
    waiting: number,
    expected: number | readonly string[] | string,
  ][] = [
    [null, 100, 0, 100],
    [40, 100, 0, 40],
    [101, 100, 0, notCovered],
    [null, 0, 0, notCovered],
    [null, -5, 0, notCovered],
    [null, -5, 10, notCovered],
    [null, 100, 30, 70],
    [70, 100, 30, 70],
    [71, 100, 30, ['30', '70']],
    [101, 100, 30, notCovered],
    [null, 100, 100, ['100', '0']],
    // What was settled before its proof failed to come is made up for first.
    [null, 100, 130, ['100', '0']],
  ]
  for (const [wanted, available, waiting, expected] of cases) {
    const taken = settledAmount(wanted === null ? null : micro(wanted), micro(available), micro(waiting), 'USDT')
    const about = `${wanted} of ${available}, ${waiting} waiting`
    if (typeof expected === 'number') assert.equal(taken, micro(expected), about)
    else {
      assert.ok(taken instanceof Refusal, about)
      assert.equal(taken.code, 'balance_insufficient')
      if (typeof expected === 'string') assert.equal(taken.message, expected, about)
      else assert.deepEqual(waits.exec(taken.message)?.slice(1), expected, about)
    }
  }
})

test('what is proven is settled first, and what is left of it stays available', () => {
  const cases: readonly [
    status: SettlementStatus,
    amount: number,
    unproven: number,
    available: number,
    share: number,
  ][] = [
    ['draft', 100, 0, 0, 0],
    ['draft', 100, 30, 0, 30],
    ['approved', 100, 30, 20, 10],
    ['draft', 100, 30, 30, 0],
    ['draft', 20, 30, 0, 20],
    ['draft', 100, 30, -50, 30],
    ['paid', 100, 30, 0, 0],
    ['failed', 100, 30, 0, 0],
  ]
  for (const [status, amount, unproven, available, share] of cases)
    assert.equal(
      unprovenShare({ status, amount: micro(amount) }, { amount: micro(unproven), available: micro(available) }),
      micro(share),
      `${status} ${amount} ${unproven} ${available}`,
    )
  assert.equal(unprovenShare({ status: 'draft', amount: 1n }, undefined), 0n)
})
