import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAdjustable } from '../../src/rules/money/adjustment.ts'
import { noFeeCap, splitCredit } from '../../src/rules/merchants/fee.ts'
import {
  account,
  balanceChanges,
  postCredit,
  postOverpayment,
  postReceipt,
  serviceBook,
} from '../../src/rules/money/ledger.ts'
import { postOverpaymentDecision } from '../../src/rules/transfers/overpayment.ts'

const plan = (feePpm: number) => ({ feePpm, feeFixedMicro: 0n, feeMinMicro: 0n, feeMaxMicro: noFeeCap })
const arriving = { transferId: 't', requisiteId: 'r', amount: 3000_00n }
const payment = { merchantId: 'm', id: 'p' }
const credit = { merchantId: 'm', paymentId: 'p', currency: 'rub', plan: plan(10_000) }
const lines = (postings: ReturnType<typeof postCredit>): string[] =>
  postings.map((each) =>
    [each.merchantId, each.kind, each.debit, '→', each.credit, each.currency, each.amount, each.transferId ?? '-'].join(
      ' ',
    ),
  )

test('money that arrives for a payment waits in the suspense of its book', () => {
  assert.deepEqual(lines([postReceipt(payment, 'rub', arriving)]), ['m receive bank:r → suspense rub 300000 t'])
})

test('money that nobody claims waits in the book of the service', () => {
  const posting = postReceipt(null, 'rub', arriving)
  assert.deepEqual(lines([posting]), [`${serviceBook} receive bank:r → suspense rub 300000 t`])
  assert.equal(posting.paymentId, null)
  assert.equal(posting.requisiteId, 'r', 'whose mode decides the book')
})

test('what the operator keeps of a payer is no fee, and only that account takes it by an adjustment', () => {
  const basis = { ...payment, currency: 'rub', ratePrice: 1n, lockedPart: null, laterPrice: null, terms: plan(10_000) }
  const kept = { id: 'd', decision: 'write-off', amount: 5n, requisiteId: null, laterPrice: null } as const
  assert.deepEqual(lines(postOverpaymentDecision(basis, kept)), ['m write-off overpayment:p → written-off rub 5 -'])
  for (const [name, other, isAllowed] of [
    ['overpayment:p', 'written-off', true],
    ['overpayment:p', 'fees', false],
    ['overpayment:p', 'fx:rub', false],
    ['written-off', 'bank:r', true],
    ['suspense', 'written-off', false],
  ] as const)
    assert.equal(isAdjustable(name, other, 'm', 'rub'), isAllowed, `${name} → ${other}`)
})

test('a credit moves what was held and what arrives, and pays the merchant and the fee', () => {
  assert.deepEqual(lines(postCredit({ ...credit, held: 2000_00n, arriving, gross: 54_058054n })), [
    'm credit suspense → fx:rub rub 200000 -',
    'm credit bank:r → fx:rub rub 300000 t',
    'm credit fx:rub → merchant:m:available USDT 53517474 -',
    'm fee fx:rub → fees USDT 540580 -',
  ])
})

test('a credit posts no zero: nothing held, nothing arriving, no fee', () => {
  assert.deepEqual(lines(postCredit({ ...credit, plan: plan(0), held: 0n, arriving, gross: 1n })), [
    'm credit bank:r → fx:rub rub 300000 t',
    'm credit fx:rub → merchant:m:available USDT 1 -',
  ])
  assert.deepEqual(lines(postCredit({ ...credit, held: 5n, arriving: null, gross: 0n })), [
    'm credit suspense → fx:rub rub 5 -',
  ])
})

test('more money after a credit is owed to the payer', () => {
  assert.deepEqual(lines([postOverpayment('m', 'p', 'rub', arriving)]), [
    'm overpay bank:r → overpayment:p rub 300000 t',
  ])
})

test('whatever is posted, each book and currency stays at zero and the parts of a credit add up', () => {
  const positive = fc.bigInt({ min: 1n, max: 10n ** 15n })
  const money = fc.record({
    held: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    amount: positive,
    gross: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    feePpm: fc.integer({ min: 0, max: 500_000 }),
    book: fc.constantFrom('m', 'n'),
  })
  fc.assert(
    fc.property(fc.array(money, { maxLength: 10 }), (rows) => {
      const postings = rows.flatMap(({ book, held, amount, gross, feePpm }) => {
        const postedCredit = postCredit({
          ...credit,
          merchantId: book,
          held,
          gross,
          plan: plan(feePpm),
          arriving: { ...arriving, amount },
        })
        const given = postedCredit.filter((each) => each.currency === 'USDT')
        assert.equal(
          given.reduce((sum, each) => sum + each.amount, 0n),
          gross,
        )
        const taken = postedCredit.filter((each) => each.currency === 'rub')
        assert.equal(
          taken.reduce((sum, each) => sum + each.amount, 0n),
          held + amount,
        )
        const fee = given.find((each) => each.credit === account.fees)?.amount ?? 0n
        assert.equal(fee, splitCredit(gross, plan(feePpm)).fee)
        return [...postedCredit, postReceipt({ merchantId: book, id: 'p' }, 'rub', { ...arriving, amount })]
      })
      const sums = new Map<string, bigint>()
      const changes = balanceChanges(postings)
      for (const { merchantId, currency, change } of changes) {
        sums.set(`${merchantId} ${currency}`, (sums.get(`${merchantId} ${currency}`) ?? 0n) + change)
      }
      for (const sum of sums.values()) assert.equal(sum, 0n)
      const keys = changes.map((each) => `${each.merchantId} ${each.account} ${each.currency}`)
      assert.deepEqual(keys, [...new Set(keys)].toSorted())
      for (const each of postings) assert.ok(each.amount > 0n && each.debit !== each.credit)
    }),
    { numRuns: 2000 },
  )
})
