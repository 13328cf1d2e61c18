import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Tx } from '../../src/engine/context.ts'
import { array, bigint, instant, query, uuid } from 'payin-database'
import { type Candidate, replacesPart } from '../../src/rules/transfers/candidate.ts'
import { maskSource } from '../../src/rules/values/masking.ts'
import { matchTransfer } from '../../src/rules/transfers/match.ts'
import type { ArrivingMoney } from '../../src/rules/money/ledger.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import type { ReportedTransfer } from '../../src/rules/transfers/transfer.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { lockCandidates } from '../../src/engine/payments/lock-candidates.ts'
import { claimPayment, switchMethod } from '../../src/engine/payments/payer-changes.ts'
import { creditPayments } from '../../src/engine/payments/credit-payments.ts'
import { lockPayments, updatePayer } from '../../src/engine/payments/store.ts'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { oweParts } from '../../src/engine/transfers/transfer-parts.ts'
import { withPaidBefore } from '../../src/engine/transfers/payers/with-payer-names.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const everyHolder = query('test_every_holder', {
  parameters: { requisiteIds: array(uuid) },
  row: { merchantId: uuid, paymentId: uuid, amount: bigint, takenAt: instant, heldUntil: instant },
  text: `select merchant_id, payment_id, amount, taken_at, held_until from slots where requisite_id = any(:requisiteIds)
    union all select merchant_id, payment_id, amount, taken_at, held_until from past_slots
      where requisite_id = any(:requisiteIds)`,
})

/** All payments that ever held a slot on the requisite: what matching would consider at no cost. */
const everyCandidate = async (tx: Tx, requisiteId: string): Promise<Candidate[]> => {
  const holders = await tx.query(everyHolder, { requisiteIds: [requisiteId] })
  const rows = await tx.query(lockPayments, { rows: holders })
  const payments = new Map(rows.map((row) => [row.id, row]))
  return holders.flatMap(({ paymentId, takenAt, heldUntil }) => {
    const payment = payments.get(paymentId)
    return payment ? [{ payment, takenAt, heldUntil, payerIndex: payment.payerPhoneIndex, payerName: null }] : []
  })
}

class Undo extends Error {}

/** Does the work in a transaction that is rolled back. */
const dryRun = async <T>(service: TestService, work: (tx: Tx) => Promise<T>): Promise<T> => {
  let result: T | undefined
  await service.context
    .transaction(async (tx) => {
      result = await work(tx)
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  return result as T
}

const minorOf = (index: number): bigint => BigInt(500_000 + index * 40)
const sender = (index: number): string => `+7900000000${index}`

const createAt = async (shop: Shop, index: number, fields: Record<string, unknown> = {}) => {
  const { status, body } = await shop.create(`order-${index}`, { amount: Number(minorOf(index)) / 100, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.payment.id as string, requisiteId: body.card.id as string }
}

/** Two requisites with payments close to each other in every status, some with a known payer, some on both. */
const populate = async (service: TestService): Promise<string[]> => {
  const shop = await openShop(service, {
    perMethod: 1,
    terms: { toleranceMinor: 30n, lateWindowMs: day, coolDownMs: day },
  })
  const requisiteIds = new Set<string>()
  for (let index = 0; index < 28; index++) {
    const fate = index % 7
    const isCard = index % 2 === 0
    const user = { userId: `user-${index % 3}` }
    const created = await createAt(shop, index, isCard ? { ...user, method: 'card-to-card', sbpEnabled: true } : user)
    requisiteIds.add(created.requisiteId)
    const { id, requisiteId } = created
    const { merchantId } = shop
    if (isCard && fate % 3 === 0) await switchMethod(service.context, merchantId, id, 'sbp')
    if (fate === 1) await payIn(service, { requisiteId, minor: minorOf(index), sender: sender(index % 3) })
    if (fate === 2) await payIn(service, { requisiteId, minor: minorOf(index) - 200_000n })
    if (fate === 6) await claimPayment(service.context, merchantId, id)
    await service.context.transaction(async (tx) => {
      const key = { merchantId, id }
      if (fate === 3) await cancelPayment(tx, key, { actor: 'merchant', reason: 'canceled-by-merchant' })
      if (fate !== 4) return
      const phoneIndex = tx.vault.blindIndex('payer', sender(index % 3).slice(1))
      await tx.query(updatePayer, {
        ...key,
        phoneSealed: 'x',
        phoneIndex,
        sourcePan: maskSource(sender(index % 3)),
        payerBank: null,
        nameSealed: null,
        requisiteShown: true,
        sharesSlot: false,
        payerChanges: 0,
        windows: null,
        requisiteId,
      })
    })
    // The first half expires while the second is being created.
    if (index === 13) service.clock.advance(40 * minute)
  }
  await service.runJobs()
  assert.equal(requisiteIds.size, 2)
  return [...requisiteIds]
}

/** Reports of money that was booked at most `backMs` ago. */
const reports = (requisiteIds: readonly string[], now: number, backMs: number) => {
  const amount = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 29 }).map(minorOf) },
    fc.integer({ min: 499_950, max: 501_200 }).map(BigInt),
    fc.constantFrom(200_000n, 300_000n, 1n, 90_000_000n),
  )
  const at = fc.oneof(fc.integer({ min: -backMs, max: 0 }), fc.constant(0))
  const transfer = fc.record({
    requisiteId: fc.constantFrom(...requisiteIds),
    amount,
    bookedAt: at.map((ms) => now + ms),
    // Of some the bank reports the day only.
    dayMs: fc.constantFrom(0, 0, 9 * 60 * 60_000),
    sender: fc.constantFrom(null, null, null, null, null, null, null, sender(0), sender(1), sender(2), sender(9)),
    text: fc.constantFrom(null, null, null, null, 'спасибо', 'за order-5', 'order 12', 'order-6 и order-9'),
  })
  return fc.array(transfer, { minLength: 1, maxLength: 25 }).map((transfers): ReportedTransfer[] =>
    transfers.map(({ dayMs, ...each }, index) => ({
      ...each,
      ...{ currency: 'rub', source: 'test', bankReference: `row-${index}` },
      earliestAt: dayMs === 0 ? null : each.bookedAt - dayMs,
    })),
  )
}

const decision = ({ outcome, paymentId }: { readonly outcome: string; readonly paymentId: string | null }): string =>
  `${outcome} ${paymentId ?? ''}`

/** Compares the decisions on a report with those of matching each row among all; notes the outcomes. */
const compareReport = async (
  service: TestService,
  report: readonly ReportedTransfer[],
  outcomes: Set<string>,
): Promise<void> => {
  const recorded = await dryRun(service, (tx) => recordTransfers(tx, report))
  const inOrder = report.map((transfer, index) => ({ transfer, index }))
  inOrder.sort((a, b) => a.transfer.bookedAt - b.transfer.bookedAt || a.index - b.index)
  await dryRun(service, async (tx) => {
    const credits = creditPayments(tx)
    const all = new Map<string, Candidate[]>()
    const received = new Map<string, ArrivingMoney[]>()
    for (const { requisiteId } of report) all.set(requisiteId, await everyCandidate(tx, requisiteId))
    for (const { transfer, index } of inOrder) {
      const senderIndex = transfer.sender === null ? null : tx.vault.blindIndex('payer', transfer.sender.slice(1))
      const offered = (all.get(transfer.requisiteId) ?? []).map((candidate) => ({
        ...candidate,
        payment: credits.current(candidate.payment),
      }))
      const senderMasked = maskSource(transfer.sender ?? '')
      const [sent] = await withPaidBefore(tx, [{ ...transfer, senderIndex, senderMasked }])
      assert.ok(sent)
      const match = matchTransfer(sent, offered)
      const payment = 'candidate' in match ? match.candidate.payment : undefined
      const { requisiteId, amount } = transfer
      if (payment) {
        const arriving = { transferId: payment.id, requisiteId, amount }
        const earlier = received.get(payment.id) ?? []
        if (replacesPart(transfer, credits.current(payment))) {
          await oweParts(tx, credits, payment)
          for (const part of earlier) credits.owe(payment, part)
        }
        await credits.receive(payment, arriving, transfer, senderMasked)
        received.set(payment.id, [...earlier, arriving])
      }
      const found = recorded[index]
      assert.ok(found)
      assert.equal(
        decision(found),
        decision({ outcome: match.outcome, paymentId: payment?.id ?? null }),
        `row ${index}`,
      )
      outcomes.add(found.outcome)
    }
  })
}

onOneEngine(
  'a report is decided as if each row were matched among all that ever held its requisite',
  async (service) => {
    const requisiteIds = await populate(service)
    const outcomes = new Set<string>()
    const numRuns = service.engine === 'postgres' ? 25 : 10
    const compareMany = (backMs: number) =>
      fc.assert(
        fc.asyncProperty(reports(requisiteIds, service.clock.now, backMs), (report) =>
          compareReport(service, report, outcomes),
        ),
        { numRuns },
      )
    await compareMany(2 * hour)
    // Late windows end about now.
    service.clock.advance(25 * hour)
    await service.runJobs()
    await compareMany(27 * hour)
    assert.ok(outcomes.size >= 6, [...outcomes].join())
  },
)

onOneEngine(
  "a stranger's money is nobody's while several wait, though one report pays most of them",
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const amounts = Array.from({ length: 12 }, (_, index) => 1010 + index)
    const made = []
    for (const amount of amounts) made.push(await createAt(shop, amount, { amount }))
    const requisiteId = made[0]?.requisiteId ?? ''
    const row = (rubles: number, order: number): ReportedTransfer => ({
      requisiteId,
      currency: 'rub',
      amount: BigInt(rubles * 100),
      bookedAt: service.clock.now + order,
      source: 'test',
      bankReference: `row-${order}`,
      sender: null,
    })
    const rows = [...amounts.slice(1, 10), 1000].map(row)
    const recorded = await service.context.transaction((tx) => recordTransfers(tx, rows))
    assert.deepEqual(
      recorded.map((each) => each.outcome),
      [...Array.from({ length: 9 }, () => 'exact'), 'ambiguous'],
    )
  },
)

onBothEngines('parts on both requisites of a payer who chose another method add up', async (service) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { id, requisiteId } = await createAt(shop, 0, { amount: 1000, method: 'card-to-card', sbpEnabled: true })
  service.clock.advance(10 * minute)
  assert.equal(await switchMethod(service.context, shop.merchantId, id, 'sbp'), 'switched')
  const early = service.clock.now - 9 * minute
  await payIn(service, { requisiteId, minor: 600_00n, bookedAt: early })
  const rest = await payIn(service, { requisiteId, minor: 400_00n, bookedAt: early + minute })
  assert.deepEqual([rest.outcome, rest.paymentId], ['exact', id])
  assert.equal(await shop.status('order-0'), 'paid')
})

onOneEngine('a claimed payment keeps both slots beyond a short late window', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { graceMs: 0, lateWindowMs: 0 } })
  const wanted = { amount: 1000, method: 'card-to-card', sbpEnabled: true }
  const { id, requisiteId } = await createAt(shop, 1, wanted)
  await switchMethod(service.context, shop.merchantId, id, 'sbp')
  await claimPayment(service.context, shop.merchantId, id)
  service.clock.advance(40 * minute)
  assert.equal((await shop.create('two', wanted)).body.code, 'requisites_unavailable')
  await payIn(service, { requisiteId, minor: 1000_00n })
  assert.equal(await shop.status('order-1'), 'paid')
})

onOneEngine(
  'between two transfers of a report that are compared with all payments, others have their turn',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const made = [await createAt(shop, 0, { amount: 1000 }), await createAt(shop, 1, { amount: 1001 })]
    const transfer = {
      requisiteId: made[0]?.requisiteId ?? '',
      currency: 'rub',
      amount: 77_00n,
      bookedAt: service.clock.now,
    }
    const report = Array.from({ length: 30 }, () => ({ ...transfer, senderIndex: null, senderMasked: '' }))
    let compared = 0
    let most = 0
    let isOver = false
    const goOn = (): void => {
      compared = 0
      if (!isOver) setImmediate(goOn)
    }
    goOn()
    await service.context.transaction((tx) =>
      lockCandidates(tx, report, (payment) => {
        most = Math.max(most, ++compared)
        return payment
      }),
    )
    isOver = true
    assert.equal(most, made.length)
  },
)
