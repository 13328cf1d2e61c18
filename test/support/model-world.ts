// A model of the rules of the domain: does what the service does, without a database, a network or a clock.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  account,
  balanceChanges,
  type ArrivingMoney,
  type Posting,
  postCredit,
  postOverpayment,
  postReceipt,
  reversePostings,
} from '../../src/rules/money/ledger.ts'
import { replacesPart } from '../../src/rules/transfers/candidate.ts'
import { noFeeCap, splitCredit } from '../../src/rules/merchants/fee.ts'
import { bankClockSkewMs } from '../../src/rules/transfers/evidence.ts'
import { type Match, matchTransfer } from '../../src/rules/transfers/match.ts'
import type { LockedTerms } from '../../src/rules/merchants/merchant.ts'
import { endOfTime, receiveMoney } from '../../src/rules/payments/receive-money.ts'
import {
  applyChange,
  creditedStatuses,
  dueAt,
  lateUntil,
  mayShareSlot,
  openStatuses,
  type Payment,
  type PaymentChange,
  slotUntil,
} from '../../src/rules/payments/payment.ts'
import { quoteAmount } from '../../src/rules/money/rate.ts'
import { chooseRequisite, chooseShared, noUsage, type Requisite } from '../../src/rules/requisites/requisite.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { dedupeKeys, type ReportedTransfer } from '../../src/rules/transfers/transfer.ts'
import { payment as buildPayment, requisite, requisiteWish, terms as buildTerms } from './builders.ts'

/** An action in the model; `pick` chooses one of the existing payments. */
export type Action =
  | { readonly kind: 'create'; readonly amount: bigint; readonly staged: boolean }
  | { readonly kind: 'claim' | 'cancel'; readonly pick: number }
  | { readonly kind: 'pay'; readonly rows: readonly PaidRow[] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'expire' }

type PaidRow = {
  readonly pick: number
  readonly sum: 'missing' | 'amount' | 'half' | 'near' | 'more' | 'tiny' | 'huge'
  readonly agoMs: number
  /** Whether the bank only reports the day. */
  readonly byDay: boolean
}

const amounts = [5000_00n, 5000_00n, 4000_00n, 2500_00n]
const pick = fc.nat({ max: 7 })
const paidRow: fc.Arbitrary<PaidRow> = fc.record({
  pick,
  sum: fc.constantFrom('missing', 'missing', 'amount', 'half', 'near', 'more', 'tiny', 'huge'),
  // Banks report late, and the clocks of some are ahead.
  agoMs: fc.constantFrom(0, 0, 0, minute, 3 * minute, 20 * minute, 2 * hour, day, -minute, -3 * hour),
  byDay: fc.constantFrom(false, false, true),
})

/** When a row was booked. For one by day it is the time that an import uses; the day may not have ended. */
const bookedTime = (now: number, { agoMs, byDay }: PaidRow) => {
  const bookedAt = now - agoMs
  if (!byDay) return { bookedAt }
  const earliestAt = bookedAt - (bookedAt % day)
  return { bookedAt: Math.min(earliestAt + day - 1, Math.max(now, bookedAt)), earliestAt }
}

/** Any action. */
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('create'), amount: fc.constantFrom(...amounts), staged: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('claim'), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel'), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('pay'), rows: fc.array(paidRow, { minLength: 1, maxLength: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      ms: fc.constantFrom(1, 1000, minute, 10 * minute, 30 * minute, 46 * minute, 2 * hour, 25 * hour),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('expire') }) },
)

/** Any terms, with a short or a long value for each window. */
export const anyTerms: fc.Arbitrary<LockedTerms> = fc
  .record({
    graceMs: fc.constantFrom(0, 15 * minute),
    lateWindowMs: fc.constantFrom(0, hour, day),
    confirmDeadlineMs: fc.constantFrom(5 * minute, 2 * hour),
    coolDownMs: fc.constantFrom(0, hour),
    toleranceMinor: fc.constantFrom(0n, 500n),
    mismatchPolicy: fc.constantFrom('credit-received', 'review'),
    mismatchBoundPpm: fc.constantFrom(0, 500_000, 500_000, 1_000_000_000),
    creditCapPpm: fc.constantFrom(1_000_000, 1_500_000, 1_000_000_000),
    overpaidPolicy: fc.constantFrom('credit-received', 'review'),
    partialPolicy: fc.constantFrom('add-up', 'add-up', 'review'),
    latePolicy: fc.constantFrom('credit', 'credit', 'review'),
    paidAgainPolicy: fc.constantFrom('overpayment', 'review'),
    equalAmounts: fc.constantFrom('share', 'refuse'),
    feePpm: fc.constantFrom(0, 10_000, 500_000),
    feeFixedMicro: fc.constantFrom(0n, 250_000n),
    feeMinMicro: fc.constantFrom(0n, 1_000_000n),
    feeMaxMicro: fc.constantFrom(noFeeCap, 5_000_000n),
  })
  .map((fields) => buildTerms(fields))

type Slot = {
  readonly requisiteId: string
  readonly amount: bigint
  readonly paymentId: string
  readonly takenAt: number
  readonly heldUntil: number
  readonly shares: boolean
}

/** The result of one row of a report. */
export type Disposal = {
  readonly alreadyKnown: boolean
  readonly outcome: Match['outcome']
  readonly kind: 'payment' | 'overpayment' | 'suspense'
  readonly paymentId: string | null
}

/** One merchant with its requisites. */
export type World = {
  now: number
  readonly payments: Map<string, Payment>
  /** Creates a payment on the given requisite, or on the one that the rules choose. */
  create(action: Extract<Action, { kind: 'create' }>, made?: { id: string; requisiteId: string }): Payment | undefined
  claim(payment: Payment): void
  /** Whether the payment is canceled, now or since before. */
  cancel(payment: Payment): boolean
  report(rows: readonly PaidRow[]): ReportedTransfer[]
  pay(transfers: readonly ReportedTransfer[]): Disposal[]
  expire(): void
  pickPayment(index: number): Payment | undefined
  /** Fails if anything that must always hold does not. */
  check(): void
}

/** A new world; `requisiteIds` belong to the merchant and have no limits. */
export const startWorld = (terms: LockedTerms, requisiteIds: readonly string[], start: number): World => {
  const payments = new Map<string, Payment>()
  const slots = new Map<string, Slot>()
  /** Former holders, and those that share an amount with the one in `slots`. */
  let past: Slot[] = []
  const keys = new Map<string, Disposal>()
  /** What payments have received that are not credited, by payment. */
  const waiting = new Map<string, ArrivingMoney[]>()
  const postings: Posting[] = []
  /** The sums of the first `summed` postings, by account and by book. */
  const totals = new Map<string, bigint>()
  let summed = 0
  const sums = { transfers: 0n, overpaid: 0n, suspense: 0n }
  let offered: Requisite[] = requisiteIds.map((id) => requisite({ id }))
  let made = 0
  const slotKey = (requisiteId: string, amount: bigint): string => `${requisiteId} ${amount}`
  const holdersOf = (requisiteId: string, amount: bigint): Slot[] =>
    [...slots.values(), ...past].filter(
      (each) => each.requisiteId === requisiteId && each.amount === amount && each.heldUntil > world.now,
    )
  const isTaken = (requisiteId: string, amount: bigint): boolean => holdersOf(requisiteId, amount).length > 0

  const save = (before: Payment, change: PaymentChange): Payment => {
    const after = applyChange(before, change, world.now)
    payments.set(after.id, after)
    const until = slotUntil(after, world.now)
    const slot = slots.get(slotKey(after.requisiteId, after.amount))
    if (until !== null && slot?.paymentId === after.id) {
      slots.set(slotKey(after.requisiteId, after.amount), { ...slot, heldUntil: until })
    }
    const isHeld = (each: Slot): boolean => each.paymentId === after.id && each.heldUntil > world.now
    if (until !== null) past = past.map((each) => (isHeld(each) ? { ...each, heldUntil: until } : each))
    return after
  }

  const credit = (before: Payment, after: Payment, arriving: Parameters<typeof postCredit>[0]['arriving']): void => {
    if (!creditedStatuses.has(after.status)) return
    const { merchantId, id: paymentId, currency, quoteCurrency } = after
    const gross = quoteAmount(after.received, after, after.ratePrice)
    postings.push(
      ...postCredit({
        merchantId,
        paymentId,
        currency,
        quoteCurrency,
        held: before.received,
        arriving,
        gross,
        plan: terms,
      }),
    )
  }

  /** Records that a payment's earlier money is owed to its payer, because the whole amount has come after it. */
  const oweBack = (payment: Payment): Payment => {
    const { merchantId, id, currency } = payment
    for (const arriving of waiting.get(id) ?? []) {
      postings.push(...reversePostings([postReceipt(payment, currency, arriving)]))
      postings.push(postOverpayment(merchantId, id, currency, arriving))
    }
    sums.overpaid += payment.received
    waiting.delete(id)
    for (const [key, each] of keys) {
      if (each.paymentId === id && each.kind === 'payment') keys.set(key, { ...each, kind: 'overpayment' })
    }
    const after = { ...payment, received: 0n }
    payments.set(id, after)
    return after
  }

  const dispose = (transfer: ReportedTransfer, transferId: string, holders: readonly Slot[]): Disposal => {
    const { requisiteId, amount, bookedAt, earliestAt = null, currency } = transfer
    const candidates = holders
      .filter((slot) => slot.requisiteId === requisiteId)
      .map(({ paymentId, takenAt, heldUntil }) => ({
        payment: payments.get(paymentId) as Payment,
        takenAt,
        heldUntil,
        payerIndex: null,
      }))
    const match = matchTransfer({ currency, amount, bookedAt, earliestAt, senderIndex: null }, candidates)
    const arriving = { transferId, requisiteId, amount }
    sums.transfers += amount
    if (!('candidate' in match)) {
      postings.push(postReceipt(null, currency, arriving))
      sums.suspense += amount
      return { alreadyKnown: false, outcome: match.outcome, kind: 'suspense', paymentId: null }
    }
    const { payment: matched, takenAt, heldUntil } = match.candidate
    const before = replacesPart(transfer, matched) ? oweBack(matched) : matched
    assert.ok(
      takenAt - bankClockSkewMs <= bookedAt && (earliestAt ?? bookedAt) < heldUntil,
      'money went to one who did not hold the slot',
    )
    if (creditedStatuses.has(before.status)) {
      postings.push(postOverpayment(before.merchantId, before.id, currency, arriving))
      sums.overpaid += amount
      return { alreadyKnown: false, outcome: match.outcome, kind: 'overpayment', paymentId: before.id }
    }
    waiting.set(before.id, [...(waiting.get(before.id) ?? []), arriving])
    const outcome = receiveMoney(before, { amount, bookedAt, earliestAt })
    if ('wait' in outcome) {
      payments.set(before.id, { ...before, received: outcome.wait })
      postings.push(postReceipt(before, currency, arriving))
    } else {
      const after = save(before, outcome)
      if (creditedStatuses.has(after.status)) credit(before, after, arriving)
      else postings.push(postReceipt(before, currency, arriving))
    }
    return { alreadyKnown: false, outcome: match.outcome, kind: 'payment', paymentId: before.id }
  }

  const sumOf = ({ sum }: PaidRow, target: Payment | undefined): bigint => {
    if (!target) return 1000_00n
    const rest = target.amount - target.received
    const missing = rest > 0n ? rest : target.amount
    const choices = {
      missing,
      amount: target.amount,
      half: missing / 2n || 1n,
      near: missing > 300n ? missing - 300n : missing + 300n,
      more: missing + 1000_00n,
      tiny: 1n,
      huge: 400_000_00n,
    }
    return choices[sum]
  }

  const world: World = {
    now: start,
    payments,
    pickPayment: (index) => [...payments.values()][payments.size === 0 ? 0 : index % payments.size],
    create: ({ amount, staged }, given) => {
      const mayShare = mayShareSlot(staged ? 'staged' : 'direct', terms)
      const wish = { ...requisiteWish(amount), mayShare }
      const occupancy = {
        usageOf: () => noUsage,
        isSlotTaken: (id: string) => isTaken(id, amount),
        hasOpenPayment: () => false,
        sharingOn: ({ id }: Requisite) => {
          const holders = holdersOf(id, amount)
          return holders.length > 0 && holders.every((each) => each.shares) ? holders.length : undefined
        },
      }
      const chosen = given
        ? offered.find((each) => each.id === given.requisiteId)
        : (chooseRequisite(offered, wish, world.now, occupancy) ?? chooseShared(offered, wish, world.now, occupancy))
      if (!chosen) return undefined
      const isShared = isTaken(chosen.id, amount)
      assert.ok(!isShared || (wish.mayShare && occupancy.sharingOn(chosen)), 'two hold one slot')
      offered = [...offered.filter((each) => each !== chosen), chosen]
      const payment = {
        ...buildPayment({
          id: given?.id ?? `payment-${++made}`,
          amount,
          createdAt: world.now,
          requisiteId: chosen.id,
          requisiteShown: !staged,
          type: staged ? 'staged' : 'direct',
        }),
        terms,
      }
      const key = slotKey(chosen.id, amount)
      const slot = {
        requisiteId: chosen.id,
        amount,
        paymentId: payment.id,
        takenAt: world.now,
        heldUntil: lateUntil(payment),
        shares: wish.mayShare,
      }
      const former = slots.get(key)
      if (isShared) past.push(slot)
      else {
        if (former) past.push(former)
        slots.set(key, slot)
      }
      payments.set(payment.id, payment)
      return payment
    },
    claim: (payment) => {
      if (payment.status !== 'new' || world.now >= payment.expiredAt) return
      save(payment, { to: 'processing', reason: 'claimed', trigger: 'payer-claimed', claimedAt: world.now })
    },
    cancel: (payment) => {
      if (payment.status === 'canceled') return true
      if (!openStatuses.has(payment.status) || payment.received > 0n) return false
      save(payment, { to: 'canceled', reason: 'canceled-by-merchant', trigger: 'canceled' })
      return true
    },
    report: (rows) =>
      rows.map((row) => {
        const target = world.pickPayment(row.pick)
        return {
          requisiteId: target?.requisiteId ?? (requisiteIds[row.pick % requisiteIds.length] as string),
          currency: 'rub',
          amount: sumOf(row, target),
          ...bookedTime(world.now, row),
          source: 'test',
          bankReference: null,
          sender: null,
        }
      }),
    pay: (transfers) => {
      const named = dedupeKeys(transfers).map((key, index) => `${transfers[index]?.requisiteId} ${key}`)
      const known = new Map(keys)
      const fresh = named.flatMap((key, index) => (keys.has(key) ? [] : [index]))
      const booked = (index: number): number => transfers[index]?.bookedAt ?? 0
      // Slots count as they were held when the report came.
      const holders = [...slots.values(), ...past]
      for (const index of fresh.toSorted((a, b) => booked(a) - booked(b) || a - b)) {
        const [transfer, key] = [transfers[index], named[index]]
        if (transfer && key) keys.set(key, dispose(transfer, `transfer-${keys.size}`, holders))
      }
      return named.map((key, index) => ({
        ...((known.get(key) ?? keys.get(key)) as Disposal),
        alreadyKnown: !fresh.includes(index),
      }))
    },
    expire: () => {
      for (const payment of payments.values()) {
        const change = endOfTime(payment, world.now)
        if (change) credit(payment, save(payment, change), null)
      }
    },
    check: () => {
      let received = 0n
      let held = 0n
      let net = 0n
      let fees = 0n
      for (const payment of payments.values()) {
        received += payment.received
        const distance = payment.received - payment.amount
        const tolerance = terms.toleranceMinor
        if (payment.status === 'paid')
          assert.ok(distance <= tolerance && -distance <= tolerance, 'paid beyond the tolerance')
        assert.equal(payment.finalAmount, payment.status === 'disput-paid' ? payment.received : null)
        assert.ok(payment.received === 0n || ['processing', 'paid', 'disput', 'disput-paid'].includes(payment.status))
        if (creditedStatuses.has(payment.status)) {
          const gross = quoteAmount(payment.received, payment, payment.ratePrice)
          const shares = splitCredit(gross, terms, payment.quoteCurrency)
          net += shares.net
          fees += shares.fee
          assert.equal(shares.net + shares.fee, gross)
        } else held += payment.received
        const holders = holdersOf(payment.requisiteId, payment.amount)
        if (world.now < (dueAt(payment) ?? 0)) {
          assert.ok(
            holders.some((each) => each.paymentId === payment.id),
            'an open payment lost its slot',
          )
        }
      }
      assert.equal(sums.transfers, received + sums.overpaid + sums.suspense, 'money was lost or made')
      const add = (name: string, change: bigint): unknown => totals.set(name, (totals.get(name) ?? 0n) + change)
      for (const each of balanceChanges(postings.slice(summed))) {
        add(`book ${each.merchantId} ${each.currency}`, each.change)
        add(each.account.replace(/:.*/, ''), each.change)
      }
      summed = postings.length
      for (const [name, sum] of totals) if (name.startsWith('book ')) assert.equal(sum, 0n, name)
      assert.equal(totals.get('bank') ?? 0n, sums.transfers)
      assert.equal(totals.get(account.suspense) ?? 0n, -(held + sums.suspense))
      assert.equal(totals.get('overpayment') ?? 0n, -sums.overpaid)
      assert.equal(totals.get('merchant') ?? 0n, -net)
      assert.equal(totals.get(account.fees) ?? 0n, -fees)
      const holders = [...past, ...slots.values()].toSorted((a, b) => a.takenAt - b.takenAt)
      const earlier = new Map<string, Slot[]>()
      for (const slot of holders) {
        const others = earlier.get(slotKey(slot.requisiteId, slot.amount)) ?? []
        const isAlone = (other: Slot): boolean => other.heldUntil <= slot.takenAt || (other.shares && slot.shares)
        assert.ok(others.every(isAlone), 'two held one slot that did not share it')
        earlier.set(slotKey(slot.requisiteId, slot.amount), [...others, slot])
      }
    },
  }
  return world
}
