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
  postReturn,
  serviceBook,
} from '../../src/rules/money/ledger.ts'
import { postCreditReversal, worthOf } from '../../src/rules/payments/credit.ts'
import { priceOfSame } from '../../src/rules/money/rate.ts'
import { postAssignedReversal, postOverpaymentDecision } from '../../src/rules/transfers/overpayment.ts'

const plan = (feePpm: number) => ({ feePpm, feeFixedMicro: 0n, feeMinMicro: 0n, feeMaxMicro: noFeeCap })
const arriving = { transferId: 't', requisiteId: 'r', amount: 3000_00n }
const payment = { merchantId: 'm', id: 'p' }
const credit = { merchantId: 'm', paymentId: 'p', currency: 'rub', quoteCurrency: 'USDT', plan: plan(10_000) }
const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)
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
  const basis = {
    ...payment,
    currency: 'rub',
    quoteCurrency: 'USDT',
    ratePrice: 1n,
    lockedPart: null,
    laterPrice: null,
    terms: plan(10_000),
  }
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

test('a credit in the payment’s own currency passes no exchange: the merchant gets the money itself, less the fee', () => {
  const own = { ...credit, quoteCurrency: 'rub' }
  assert.deepEqual(lines(postCredit({ ...own, held: 2000_00n, arriving, corrected: 10_00n, gross: 5010_00n })), [
    'm credit bank:r → suspense rub 300000 t',
    'm correct corrections → suspense rub 1000 -',
    'm credit suspense → merchant:m:available rub 495990 -',
    'm fee suspense → fees rub 5010 -',
  ])
})

const roubles = {
  ...{ ...payment, currency: 'rub', quoteCurrency: 'rub', ratePrice: priceOfSame },
  ...{ lockedPart: null, laterPrice: null, terms: plan(10_000) },
}

test('what the bank takes back of it leaves the merchant and the fee, and an overpayment goes to them', () => {
  const returned = postReturn(payment, 'rub', { ...arriving, amount: 1000_00n }, account.exchange('rub'), 'd')
  assert.deepEqual(lines(postCreditReversal(roubles, 5000_00n, returned)), [
    'm return merchant:m:available → bank:r rub 99000 t',
    'm return fees → bank:r rub 1000 t',
  ])
  const assigned = { id: 'd', decision: 'assign', amount: 100_00n, requisiteId: null, laterPrice: null } as const
  assert.deepEqual(lines(postOverpaymentDecision(roubles, assigned)), [
    'm assign overpayment:p → merchant:m:available rub 9900 -',
    'm assign overpayment:p → fees rub 100 -',
  ])
  assert.deepEqual(lines(postAssignedReversal(roubles, { ...assigned, kept: 100_00n }, 50_00n)), [
    'm assign merchant:m:available → overpayment:p rub 4950 -',
    'm assign fees → overpayment:p rub 50 -',
  ])
})

test('at a price of 1 the merchant gets the amount less the fee to the kopeck, whatever comes and goes', () => {
  const amounts = fc.record({
    held: fc.bigInt({ min: 0n, max: 10n ** 14n }),
    amount: fc.bigInt({ min: 1n, max: 10n ** 14n }),
    back: fc.bigInt({ min: 1n, max: 10n ** 14n }),
    feePpm: fc.integer({ min: 0, max: 500_000 }),
    feeFixedMicro: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  })
  fc.assert(
    fc.property(amounts, ({ held, amount, back, feePpm, feeFixedMicro }) => {
      const own = { ...roubles, terms: { ...plan(feePpm), feeFixedMicro } }
      const gross = worthOf(own, held + amount)
      assert.equal(gross, held + amount)
      const posted = postCredit({
        ...{ ...credit, quoteCurrency: 'rub', held, gross, plan: own.terms },
        arriving: { ...arriving, amount },
      })
      const taken = back > gross ? gross : back
      const returned = postReturn(payment, 'rub', { ...arriving, amount: taken }, account.exchange('rub'))
      const reversed = postCreditReversal(own, gross, returned)
      for (const [postings, left] of [
        [posted, gross],
        [[...posted, ...reversed], gross - taken],
      ] as const) {
        const fee = least((left * BigInt(feePpm) * 10n ** 4n) / 10n ** 6n + feeFixedMicro, left * 10n ** 4n) / 10n ** 4n
        const owed = (name: string): bigint =>
          -(balanceChanges(postings).find((each) => each.account === name)?.change ?? 0n)
        assert.deepEqual([owed(account.available('m')), owed(account.fees)], [left - fee, fee])
        assert.ok(postings.every((each) => each.amount > 0n && each.currency === 'rub'))
        assert.ok(!postings.some((each) => `${each.debit} ${each.credit}`.includes('fx:')))
        const fromBank = -owed('bank:r')
        assert.equal(fromBank, left - held, 'the bank has what came and did not leave')
      }
    }),
    { numRuns: 2000 },
  )
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
        assert.equal(fee, splitCredit(gross, plan(feePpm), 'USDT').fee)
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
