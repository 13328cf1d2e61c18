import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Tx } from '../../src/context.ts'
import { array, bigint, instant, statement, uuid } from '../../src/database/statement.ts'
import { type Candidate, type IncomingTransfer, isExactlyHeld, matchTransfer } from '../../src/domain/match.ts'
import { hour, minute } from '../../src/domain/time.ts'
import { cancelPayment } from '../../src/payments/cancel-payment.ts'
import { lockCandidates } from '../../src/payments/lock-candidates.ts'
import { lockPayments, updatePayer } from '../../src/payments/store.ts'
import { onBothEngines, type TestService } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'

const everyHolder = statement({
  name: 'test_every_holder',
  parameters: { requisiteIds: array(uuid) },
  row: { amount: bigint, merchantId: uuid, paymentId: uuid, takenAt: instant, heldUntil: instant },
  text: `select amount, merchant_id, payment_id, taken_at, held_until from slots where requisite_id = any(:requisiteIds)
    union all select amount, merchant_id, payment_id, taken_at, held_until from past_slots
      where requisite_id = any(:requisiteIds)`,
})

/** All payments that ever held a slot on the requisite: what matching would look at if nothing cost anything. */
const everyCandidate = async (tx: Tx, requisiteId: string): Promise<Candidate[]> => {
  const holders = await tx.query(everyHolder, { requisiteIds: [requisiteId] })
  const rows = await tx.query(lockPayments, {
    merchantIds: holders.map((holder) => holder.merchantId),
    ids: holders.map((holder) => holder.paymentId),
  })
  const payments = new Map(rows.map((row) => [row.id, row]))
  return holders.flatMap(({ paymentId, takenAt, heldUntil }) => {
    const payment = payments.get(paymentId)
    return payment ? [{ payment, takenAt, heldUntil, payerIndex: payment.payerPhoneIndex }] : []
  })
}

const decided = (transfer: IncomingTransfer, candidates: readonly Candidate[]): string => {
  const match = matchTransfer(transfer, candidates)
  return `${match.outcome} ${'candidate' in match ? match.candidate.payment.id : ''}`
}

/** A requisite with payments close to each other in every status, some of them with a known payer. */
const populate = async (service: TestService) => {
  const shop = await openShop(service, { perMethod: 1, terms: { toleranceMinor: 30 } })
  const requisiteIds = new Set<string>()
  const create = async (index: number) => {
    const { status, body } = await shop.create(`order-${index}`, { amount: (500_000 + index * 40) / 100 })
    assert.equal(status, 201, JSON.stringify(body))
    requisiteIds.add(body.card.id)
    return { id: body.payment.id as string, requisiteId: body.card.id as string, minor: BigInt(500_000 + index * 40) }
  }
  for (let index = 0; index < 48; index++) {
    const { id, requisiteId, minor } = await create(index)
    const fate = index % 6
    if (fate === 1) await payIn(service, { requisiteId, minor })
    if (fate === 2) await payIn(service, { requisiteId, minor: minor - 200_000n })
    const key = { merchantId: shop.merchantId, id }
    await service.context.transaction(async (tx) => {
      if (fate === 3) await cancelPayment(tx, key, { actor: 'merchant', reason: 'canceled-by-merchant' })
      if (fate > 3) {
        const payer = { phoneSealed: 'x', phoneIndex: `sender-${index % 3}`, sourcePan: '', payerBank: null }
        await tx.query(updatePayer, { ...key, ...payer, requisiteId })
      }
    })
    // The first half expires while the second is being created.
    if (index === 23) service.clock.advance(40 * minute)
  }
  await service.runJobs()
  assert.equal(requisiteIds.size, 1)
  return [...requisiteIds][0] ?? ''
}

const sought = (now: number) =>
  fc.record({
    currency: fc.constant('rub'),
    amount: fc.oneof(
      fc.integer({ min: 499_900, max: 502_000 }).map(BigInt),
      fc.integer({ min: 0, max: 50 }).map((index) => BigInt(500_000 + index * 40)),
      fc.constantFrom(200_000n, 1n, 90_000_000n),
    ),
    bookedAt: fc
      .oneof(fc.integer({ min: -2 * hour, max: 30 * hour }), fc.integer({ min: -hour, max: 0 }))
      .map((ms) => now + ms),
    senderIndex: fc.constantFrom(null, null, 'sender-0', 'sender-1', 'sender-2', 'sender-9'),
  })

onBothEngines(
  'the few payments that are locked for a transfer decide as all of its requisite would',
  async (service) => {
    const requisiteId = await populate(service)
    await service.context.transaction(async (tx) => {
      const all = await everyCandidate(tx, requisiteId)
      const outcomes = new Set<string>()
      await fc.assert(
        fc.asyncProperty(sought(tx.now), async (transfer) => {
          const candidates = await lockCandidates(tx, [{ ...transfer, requisiteId }])
          const [wanted] = [{ ...transfer, requisiteId }]
          if (!isExactlyHeld(transfer, candidates.of(wanted))) await candidates.widen([wanted])
          const expected = decided(transfer, all)
          outcomes.add(expected.split(' ')[0] ?? '')
          assert.equal(decided(transfer, candidates.of(wanted)), expected)
        }),
        { numRuns: 300 },
      )
      // With seven kinds of outcomes in play the comparison means something.
      assert.ok(outcomes.size >= 5, [...outcomes].join())
    })
  },
)
