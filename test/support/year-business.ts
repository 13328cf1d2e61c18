// What payers and operators do in the simulated year, each with an entry in the year's own books.
import assert from 'node:assert/strict'
import { day, minute } from '../../src/rules/time.ts'
import { openDestination } from './destination.ts'
import { openOperator, setAgreedRate } from './operator.ts'
import type { Feed } from './push.ts'
import type { TestService } from './service.ts'
import type { Shop } from './shop.ts'
import type { YearBank } from './year-bank.ts'
import type { YearBooks, YearPayment, YearPlan } from './year-books.ts'

/** A shop with the terms of its payments. */
export type YearShop = { readonly shop: Shop; readonly plan: YearPlan; readonly toleranceMinor: bigint }

/** What a payer may do; repeated names are more frequent. */
const stories = [
  ...['exact', 'exact', 'exact', 'unpaid', 'within the tolerance', 'under', 'over', 'twice', 'twice', 'twice'],
  ...['in parts', 'late', 'with a stray'],
] as const

/** Money that came in, and the payment for which its payer sent it. */
type Arrived = {
  readonly requisiteId: string
  readonly reference: string
  readonly minor: bigint
  readonly bookedAt: number
  readonly sender: string
  readonly payment: YearPayment | null
  /** Where it is: credited, owed (and then decided), waiting in the inbox, or ignored by an operator. */
  state: 'credited' | 'owed' | 'waiting' | 'ignored'
  id: string
}

export type YearWorld = {
  readonly service: TestService
  readonly shops: readonly YearShop[]
  readonly bank: YearBank
  readonly books: YearBooks
  readonly feed: Feed
  /** Returns a number below the given one. */
  readonly random: (below: number) => number
  readonly note: (what: string) => unknown
}

const rub = (minor: bigint): number => Number(minor) / 100

/** Opens the payers. */
export const openYearPayers = ({ service, shops, bank, books, feed, random, note }: YearWorld) => {
  const operator = openOperator(service, 'anna')
  const payments: YearPayment[] = []
  const arrived: Arrived[] = []
  const late: YearPayment[] = []
  let pushed: Arrived[] = []
  /** The price of one USDT in minor units of rub. */
  let price = 92_50n
  /** The same in units of 10⁻⁸ rub. */
  const priceNow = (): bigint => price * 10n ** 6n
  let names = 0
  let hasOdd = false
  let unread = 0

  /** Money arrives, and the feed will report it. */
  const arrive = (requisiteId: string, minor: bigint, payment: YearPayment | null, state: Arrived['state']): void => {
    // Who pays twice has paid before.
    const before = state === 'owed' ? pushed.findLast((each) => each.payment === payment) : undefined
    const sender = before?.sender ?? `+7999${String(1_000_000 + ++names)}`
    bank.book(requisiteId, minor, true, { payerAccount: sender })
    const [bookedAt, reference] = [service.clock.now, `push-${++names}`]
    pushed.push({ requisiteId, reference, minor, bookedAt, sender, payment, state, id: '' })
    service.clock.advance(1000)
    const at = `bank:${requisiteId}`
    if (state === 'waiting' || payment === null) return books.post(at, 'suspense', minor)
    if (state === 'credited') return books.credit(payment, at, minor)
    payment.owed += minor
    books.post(at, `overpayment:${payment.id}`, minor)
  }

  const payWith = (payment: YearPayment, minor: bigint, status: YearPayment['status']): void => {
    payment.status = status
    payment.final = status === 'disput-paid' ? minor : null
    arrive(payment.requisiteId, minor, payment, 'credited')
  }

  const create = async ({ shop, plan }: YearShop): Promise<YearPayment | undefined> => {
    const asked = BigInt(200_00 + random(20_000_00))
    const created = await shop.create(`order-${++names}`, { amount: rub(asked) })
    if (created.status !== 201) return void note('refused')
    service.clock.advance(minute)
    const { payment, card } = created.body
    assert.equal(payment.rate.USDT.price, rub(price))
    const { merchantId } = shop
    const { id, orderId } = payment
    const known = { merchantId, id, orderId, requisiteId: card.id, asked, plan }
    const opened = {
      price: priceNow(),
      credited: 0n,
      owed: 0n,
      assigned: null,
      status: 'expired',
      final: null,
    } as const
    payments.push({ ...known, ...opened })
    return payments.at(-1)
  }

  const play = (payment: YearPayment, story: (typeof stories)[number], toleranceMinor: bigint): void => {
    const { asked, requisiteId } = payment
    note(story)
    hasOdd ||= ['under', 'over', 'in parts', 'with a stray'].includes(story)
    if (story === 'unpaid') return
    if (story === 'late') return void late.push(payment)
    if (story === 'within the tolerance') return payWith(payment, asked - toleranceMinor, 'paid')
    if (story === 'under') return payWith(payment, (asked * 9n) / 10n, 'disput-paid')
    if (story === 'over') return payWith(payment, asked + 2n * toleranceMinor, 'disput-paid')
    if (story === 'in parts') arrive(requisiteId, asked / 3n, payment, 'credited')
    payWith(payment, story === 'in parts' ? asked - asked / 3n : asked, 'paid')
    if (story === 'twice') arrive(requisiteId, asked, payment, 'owed')
    // Too little to count as a part of any payment.
    if (story === 'with a stray') arrive(requisiteId, BigInt(1_00 + random(49_00)), null, 'waiting')
  }

  /** Sends what has come in to the feed; sometimes twice, as after a lost answer. */
  const push = async (): Promise<void> => {
    if (pushed.length === 0) return
    const body = pushed.map(({ requisiteId, minor, bookedAt, reference, sender }) => ({
      ...{ requisiteId, amount: rub(minor), currency: 'rub', bookedAt: new Date(bookedAt).toISOString() },
      ...{ bankReference: reference, sender },
    }))
    const states: string[] = random(10) === 0 ? ['recorded', 'already-known'] : ['recorded']
    for (const state of states) {
      const answer = await feed(body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      for (const [index, each] of pushed.entries()) {
        assert.equal(answer.body.transfers[index].state, state)
        each.id = answer.body.transfers[index].id
      }
      note(`push ${state}`)
    }
    arrived.push(...pushed)
    pushed = []
  }

  /** An operator works on the inbox: money for a known payment is assigned to it, strays are ignored. */
  const sortInbox = async (): Promise<void> => {
    const { transfers } = (await operator.get('/transfers?unmatched=true&limit=200')).body
    for (const { id, bankReference, duplicateOf } of transfers) {
      assert.equal(duplicateOf, undefined, 'nobody is asked about what the files repeat')
      const found = arrived.find((each) => each.reference === bankReference)
      if (!found) continue
      const { requisiteId, payment, minor } = found
      if (payment) {
        const shares = [{ merchantId: payment.merchantId, paymentId: payment.id, amount: rub(minor) }]
        const { status, body } = await operator.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
        assert.equal(status, 200, JSON.stringify(body))
        note('assigned by hand')
      } else if (random(4) > 0) {
        const ignored = await operator.call('POST', `/transfers/${requisiteId}/${id}/ignore`, { reason: 'not ours' })
        assert.equal(ignored.status, 200, JSON.stringify(ignored.body))
        books.post('suspense', 'ignored', minor)
        found.state = 'ignored'
        note('ignored')
      }
    }
  }

  /** Takes money away from its place; returns whether nobody had it, because it was refunded or written off. */
  const takeBack = ({ requisiteId, minor, payment, state }: Arrived): boolean => {
    const at = `bank:${requisiteId}`
    if (payment === null) books.post(state === 'ignored' ? 'ignored' : 'suspense', at, minor)
    else if (state === 'credited') books.credit(payment, at, -minor)
    else if (payment.owed >= minor) {
      payment.owed -= minor
      books.post(`overpayment:${payment.id}`, at, minor)
    } else if (payment.assigned?.minor === minor) {
      books.takeAssigned(payment, at)
      note('reversed assigned')
    } else {
      books.post(`reversed:${payment.id}`, at, minor)
      return true
    }
    return false
  }

  /** The bank takes back money of an earlier day, and its feed or an operator reports it. */
  const takeMoneyBack = async (): Promise<void> => {
    const earlier = arrived.slice(-60).filter(({ bookedAt }) => bookedAt < service.clock.now - day / 2)
    const found = earlier[random(earlier.length || 1)]
    if (!found) return
    arrived.splice(arrived.indexOf(found), 1)
    const { requisiteId, id, minor, reference } = found
    bank.book(requisiteId, -minor, true, { text: `Отзыв ${reference}` })
    const isLost = takeBack(found)
    note(`reversed ${found.state}`)
    if (random(2) === 0 && !isLost) {
      const path = `/transfers/${requisiteId}/${id}/reverse`
      const { status, body } = await operator.call('POST', path, { reason: 'bank' })
      assert.equal(status, 200, JSON.stringify(body))
      return void note('reversed by hand')
    }
    const bookedAt = new Date(service.clock.now).toISOString()
    const taken = { requisiteId, amount: rub(minor), currency: 'rub', bookedAt, bankReference: reference }
    const answer = await feed([{ ...taken, status: 'reversed' }])
    assert.equal(answer.body.transfers?.[0].state, 'recorded', JSON.stringify(answer.body))
    note('reversed by the feed')
  }

  /** Merchants acknowledge most of what they were credited with since the last call. */
  const acknowledge = async (): Promise<void> => {
    for (const { merchantId, orderId, status } of payments.slice(unread)) {
      if (status === 'expired' || random(8) === 0) continue
      const shop = shops.find((each) => each.shop.merchantId === merchantId)?.shop
      const answer = await shop?.post('/payments/byOrderId/ack', { orderId })
      // The bank may have taken the money back.
      note(answer?.status === 200 ? 'acknowledged' : 'acknowledged too late')
    }
    unread = payments.length
  }

  return {
    payments,
    priceNow,
    acknowledge,
    takeMoneyBack,
    sortInbox,
    /** Whether money that came today may wait in the inbox, because it is not the amount of a payment. */
    mayWait: (): boolean => hasOdd,
    /** Yesterday's payers send late money, and new payers come. */
    day: async (): Promise<void> => {
      hasOdd = false
      for (const payment of late.splice(0)) {
        if (priceNow() > payment.price) payment.price = priceNow()
        payWith(payment, payment.asked, 'paid')
      }
      for (let times = 1 + random(2); times > 0; times--) {
        const shop = shops[random(3) === 0 ? 1 : 0]
        const payment = shop && (await create(shop))
        if (payment) play(payment, stories[random(stories.length)] ?? 'exact', shop.toleranceMinor)
      }
      await push()
    },
    /** The price of a USDT moves by up to 2 %. */
    moveRate: async (): Promise<void> => {
      price += BigInt(random(371) - 185)
      await setAgreedRate(service, 'rub', rub(price))
      note('rate')
    },
  }
}

type YearPayers = ReturnType<typeof openYearPayers>

/** Opens the operators who decide about overpayments and settlements. */
export const openYearDesk = (
  { service, shops, bank, books, random, note }: YearWorld,
  { payments, priceNow }: Pick<YearPayers, 'payments' | 'priceNow'>,
) => {
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const open: { merchantId: string; id: string; micro: bigint }[] = []
  const [payingId = ''] = shops[0]?.shop.requisiteIds ?? []
  let names = 0

  /** An operator decides about the oldest overpayment, or its payer is refunded without a decision. */
  const decide = async (): Promise<void> => {
    const payment = payments.find((each) => each.owed > 0n && !bank.isReturned(each))
    if (!payment) return
    const decision = ['assign', 'refund', 'write-off', 'return'][++names % 4]
    if (decision === 'return') return bank.giveBack(payingId, payment)
    const minor = payment.owed
    const refund = decision === 'refund' ? { requisiteId: payingId } : {}
    const body = { reference: `decision-${names}`, decision, reason: 'agreed', ...refund }
    const path = `/overpayments/${payment.merchantId}/${payment.id}/decisions`
    const answer = await anna.call('POST', path, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    note(`decision ${decision}`)
    if (decision === 'assign') return books.assign(payment, priceNow())
    payment.owed = 0n
    const to = decision === 'refund' ? `bank:${payingId}` : 'written-off'
    books.post(`overpayment:${payment.id}`, to, minor)
    if (decision === 'refund') bank.book(payingId, -minor, true, { text: `Возврат ${body.reference}` })
  }

  const draft = async (merchantId: string): Promise<void> => {
    const micro = -books.balanceOf(`merchant:${merchantId}:available`, 'USDT')
    const destinationId = await openDestination(service, merchantId)
    const body = { merchantId, reference: `settlement-${++names}`, destinationId }
    const drafted = await anna.call('POST', '/settlements', body)
    note(`settle ${drafted.status}`)
    if (micro <= 0n) return assert.equal(drafted.status, 409)
    assert.equal(drafted.status, 201, JSON.stringify(drafted.body))
    assert.equal(Math.round(Number(drafted.body.amount) * 1e6), Number(micro))
    books.post(`merchant:${merchantId}:available`, `merchant:${merchantId}:held`, micro, 'USDT')
    open.push({ merchantId, id: drafted.body.id, micro })
  }

  const end = async ({ merchantId, id, micro }: (typeof open)[number]): Promise<void> => {
    const path = `/settlements/${merchantId}/${id}`
    assert.equal((await boris.call('POST', `${path}/approve`)).status, 200)
    const step = random(3) === 0 ? 'fail' : 'pay'
    const details = step === 'pay' ? { externalReference: `tx-${id}` } : { reason: 'returned' }
    const ended = await anna.call('POST', `${path}/${step}`, details)
    assert.equal(ended.status, 200)
    // What two approved fails by two.
    if (ended.body.failingBy !== undefined)
      assert.equal((await boris.call('POST', `${path}/${step}`, details)).body.status, 'failed')
    const to = `merchant:${merchantId}:${step === 'pay' ? 'paid-out' : 'available'}`
    books.post(`merchant:${merchantId}:held`, to, micro, 'USDT')
    note(`settlement ${step}`)
  }

  return {
    decide,
    /** A merchant's whole balance is drafted; the oldest of three drafts is approved, then paid or failed. */
    settle: async (): Promise<void> => {
      await draft(shops[random(shops.length)]?.shop.merchantId ?? '')
      const oldest = open.length > 2 ? open.shift() : undefined
      if (oldest) await end(oldest)
    },
  }
}
