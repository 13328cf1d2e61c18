// A shop whose merchant refunds, while operators settle, correct and decide, its bank reports what left, gives it back and
// takes payments back; several of these happen at once. Then the invariants hold, no debit is two refunds, and no refund
// or settlement was accepted that the balance does not cover.
import assert from 'node:assert/strict'
import { integer, query, text, uuid } from 'payin-database'
import { recordOutgoing } from '../../src/engine/transfers/outgoing/record-outgoing.ts'
import { hour } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import { openRefundDesk, payerAccount } from '../support/refund-desk.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, payIn } from '../support/shop.ts'
import { countOf, isTorture, openSightings, repeat, seedOf, type Sightings } from '../support/torture.ts'

const { onEngines } = shareEngines()

const openBooks = async (service: TestService, quoteCurrency: 'USDT' | 'rub') => {
  const desk = await openRefundDesk(service, 'live', quoteCurrency)
  const kind = quoteCurrency === 'rub' ? 'ru-account' : 'tron'
  const destinationId = await openDestination(service, desk.shop.merchantId, 'Main', kind)
  return { service, ...desk, destinationId, last: { bankFile: 1 } }
}
type Books = Awaited<ReturnType<typeof openBooks>>

type Payment = {
  readonly id: string
  readonly orderId: string
  readonly amount: number
  readonly index: number
  readonly isKnown: boolean
}
type Refund = { readonly id: string; readonly amount: number; readonly reference: string; readonly payment: Payment }

/** What a sequence has made. */
type Known = {
  readonly payments: Payment[]
  readonly refunds: Refund[]
  readonly settlements: string[]
  readonly disputes: string[]
  /** What the bank has reported as money out, each with the reference by which it may give it back. */
  readonly debits: { readonly reference: string; readonly minor: bigint }[]
  readonly transfers: string[]
}

/** The same debit proves one refund, and a refund has one. */
const listTwice = query('test_list_debits_of_refunds', {
  row: { documentId: uuid, state: text, debits: integer },
  text: `select document_id, min(state) as state, count(*)::integer as debits from outgoing_transfers
    where purpose = 'refund' and state = 'booked' group by document_id having count(*) > 1`,
})

const openTricks = (books: Books, random: Random, known: Known, name: string) => {
  const { service, shop, requisiteId, destinationId, last } = books
  const { merchantId } = shop
  const who = () => openOperator(service, oneOf(random, ['anna', 'boris'] as const))
  const some = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
  let made = 0
  const reference = (): string => `${name}-${++made}`
  const act = (path: string, body: object = {}): Promise<Answer> => who().call('POST', path, body)
  const step = (verb: string, body: object = {}): Promise<Answer> | undefined => {
    const refund = random(2) === 0 ? known.refunds.at(-1) : some(known.refunds)
    return refund && act(`/refunds/${merchantId}/${refund.id}/${verb}`, body)
  }
  /** The bank reports money out, or that it gives it back. */
  const report = async (minor: bigint, bankReference: string, payment: Payment | undefined, words: string) => {
    const number = payment?.isKnown ? payerAccount(payment.index) : null
    const givenBack = words === 'back'
    await service.context.transaction((tx) =>
      recordOutgoing(
        tx,
        [
          {
            ...{ requisiteId, currency: 'rub', amount: minor, bookedAt: tx.now, source: 'test', bankReference },
            ...{ likeness: null, referenceKind: null, bookedOn: null, channel: 'mt940', givenBack },
            dedupeKey: `${givenBack ? 'back' : 'out'}:${bankReference}`,
            payee: { number, name: number === null ? null : 'Иванов Иван', text: words },
          },
        ],
        () => Promise.resolve(new Map()),
        () => Promise.resolve(10n ** 12n),
      ),
    )
  }
  return {
    pay: async (): Promise<Answer | undefined> => {
      const index = 1 + random(300)
      const orderId = reference()
      const amount = 1000 + random(9000)
      const { status, body } = await shop.create(orderId, { amount })
      if (status !== 201) return undefined
      const isKnown = random(4) > 0
      const sender = isKnown ? { sender: payerAccount(index), senderName: 'Иванов Иван', senderBank: 'bank-a' } : {}
      const paid = await payIn(service, { requisiteId, minor: BigInt(amount) * 100n, reference: orderId, ...sender })
      known.transfers.push(paid.id)
      known.payments.push({ id: body.payment.id, orderId, amount, index, isKnown })
      return undefined
    },
    payMore: async () => {
      const payment = some(known.payments)
      if (!payment) return undefined
      const minor = BigInt(payment.amount) * 100n
      const paid = await payIn(service, { requisiteId, minor, reference: reference() })
      known.transfers.push(paid.id)
      const shares = [{ merchantId, paymentId: payment.id }]
      return act('/transfers/decide', { transfers: [{ requisiteId, id: paid.id, decision: 'assign', shares }] })
    },
    ask: async () => {
      const payment = random(2) === 0 ? known.payments.at(-1) : some(known.payments)
      if (!payment) return undefined
      const part = random(3) === 0 ? {} : { amount: (1 + random(payment.amount * 100)) / 100 }
      const to = payment.isKnown ? {} : { payTo: `${payerAccount(payment.index)}, БИК 044525225, Петрова Анна` }
      const asked = await shop.post(`/payments/byOrderId/${payment.orderId}/refunds`, {
        ...{ reference: random(10) === 0 ? `${name}-same` : reference() },
        ...{ ...part, ...to },
      })
      if (asked.status === 201) known.refunds.push({ ...asked.body, payment })
      return asked
    },
    approve: () => step('approve'),
    send: () => step('send'),
    refuse: () => step('refuse', { reason: 'no' }),
    fail: () => step('fail', { reason: 'it came back' }),
    cancel: () => {
      const refund = some(known.refunds)
      return refund && shop.post(`/refunds/${refund.id}/cancel`, {})
    },
    file: async () => {
      const format = oneOf(random, ['1c', 'pain.001', 'csv'])
      const again = random(3) === 0 ? { again: last.bankFile } : {}
      const written = await act('/refunds/bank-file', { requisiteId, format, reason: 'today', ...again })
      if (written.body?.bankFile !== undefined) last.bankFile = written.body.bankFile
      return written
    },
    debit: async () => {
      const refund = random(2) === 0 ? known.refunds.at(-1) : some(known.refunds)
      if (!refund) return undefined
      const debit = { reference: reference(), minor: BigInt(Math.round(refund.amount * 100)) }
      known.debits.push(debit)
      const words = random(4) === 0 ? 'Refund' : `Refund of ${refund.payment.orderId}, ${refund.reference}`
      await report(debit.minor, debit.reference, refund.payment, words)
      return undefined
    },
    otherDebit: async () => {
      await report(BigInt(1 + random(500_000)), reference(), undefined, 'Rent')
      return undefined
    },
    payOut: async () => {
      const id = known.settlements.at(-1)
      if (id === undefined) return undefined
      const { amount } = (await shop.get(`/settlements/${id}`)).body
      const debit = { reference: reference(), minor: BigInt(Math.round(amount * 100)) }
      known.debits.push(debit)
      await report(debit.minor, debit.reference, undefined, 'Settlement')
      return undefined
    },
    giveBack: async () => {
      const debit = some(known.debits)
      if (debit) await report(debit.minor, debit.reference, undefined, 'back')
      return undefined
    },
    explain: async () => {
      const { outgoing } = (await who().get(`/outgoing?requisiteId=${requisiteId}&limit=8`)).body
      const money = some<{ id: string; state: string }>(outgoing)
      if (!money) return undefined
      const path = `/outgoing/${requisiteId}/${money.id}`
      if (money.state === 'booked') return act(`${path}/unbook`, { reason: 'a mistake' })
      const payment = some(known.payments)
      const settlementId = random(2) === 0 ? known.settlements.at(-1) : undefined
      if (settlementId !== undefined)
        return act(`${path}/book`, { purpose: 'settlement', reason: 'paid out', merchantId, settlementId })
      if (random(3) > 0 && payment)
        return act(`${path}/confirm`, { merchantId, paymentId: payment.id, reason: 'as it says' })
      return act(`${path}/book`, { purpose: oneOf(random, ['fee', 'other']), reason: 'as I say' })
    },
    takeBack: () => {
      const id = some(known.transfers)
      const part = random(2) === 0 ? {} : { amount: 1 + random(2000) }
      return id === undefined
        ? undefined
        : act(`/transfers/${requisiteId}/${id}/reverse`, { reason: 'chargeback', ...part })
    },
    correct: async () => {
      const payment = some(known.payments)
      if (!payment) return undefined
      const amount = 1 + random(payment.amount * 2)
      const opened = await act(`/payments/${merchantId}/${payment.id}/disputes`, { amount, note: 'another amount' })
      if (opened.status !== 201) return opened
      const about = `/disputes/${merchantId}/${opened.body.id}`
      await act(`${about}/confirm`, { amount })
      const word = random(3) > 0 ? { decision: 'accept', amount } : { decision: 'reject' }
      return act(`${about}/decision`, { ...word, note: 'seen' })
    },
    overpayment: () => {
      const payment = some(known.payments)
      const decision = oneOf(random, ['assign', 'write-off', 'refund'])
      const from = decision === 'refund' ? { requisiteId } : {}
      const body = { reference: reference(), decision, reason: 'agreed', ...from }
      return payment && act(`/overpayments/${merchantId}/${payment.id}/decisions`, body)
    },
    settle: async () => {
      const part = random(2) === 0 ? {} : { amount: 1 + random(60) }
      const wanted = { reference: reference(), destinationId, ...part }
      const isAsked = random(2) === 0
      const begun = await (isAsked ? shop.post('/settlements', wanted) : act('/settlements', { merchantId, ...wanted }))
      if (begun.status === 201) known.settlements.push(begun.body.id)
      return begun
    },
    cancelSettlement: () => {
      const id = known.settlements.at(-1 - random(2))
      return id === undefined ? undefined : shop.post(`/settlements/${id}/cancel`, {})
    },
    dispute: async () => {
      const payment = some(known.payments)
      if (!payment) return undefined
      const claim = { amount: payment.amount + 1, note: 'it was more' }
      const opened = await act(`/payments/${merchantId}/${payment.id}/disputes`, claim)
      if (opened.status === 201) known.disputes.push(opened.body.id)
      return opened
    },
    reject: () => {
      const id = known.disputes.at(-1)
      return id === undefined
        ? undefined
        : act(`/disputes/${merchantId}/${id}/decision`, { decision: 'reject', note: 'seen' })
    },
    settlement: () => {
      const id = known.settlements.at(-1 - random(2))
      const verb = oneOf(random, ['approve', 'approve', 'pay', 'fail'])
      const body = { approve: {}, pay: { externalReference: reference() }, fail: { reason: 'later' } }[verb]
      return id === undefined ? undefined : act(`/settlements/${merchantId}/${id}/${verb}`, body)
    },
    terms: () =>
      who().call('PATCH', `/merchants/${merchantId}/terms/sbp`, {
        ...{ feePpm: oneOf(random, [0, 10_000, 100_000]), refundFee: oneOf(random, ['kept', 'returned']) },
      }),
    wait: async () => {
      service.clock.advance(hour)
      await service.runJobs()
      return undefined
    },
  }
}

type Trick = keyof ReturnType<typeof openTricks>

/** What often follows one another; whatever comes to mind may come between. */
const ways: readonly (readonly Trick[])[] = [
  ['ask', 'approve', 'send', 'debit', 'giveBack'],
  ['ask', 'approve', 'debit', 'explain', 'explain', 'send'],
  ['ask', 'ask', 'approve', 'approve', 'file', 'file', 'debit', 'fail'],
  ['ask', 'approve', 'takeBack', 'send', 'fail', 'takeBack'],
  ['ask', 'settle', 'ask', 'settlement', 'settlement', 'cancel'],
  ['correct', 'ask', 'approve', 'correct', 'send', 'correct'],
  ['payMore', 'overpayment', 'ask', 'approve', 'send', 'debit', 'explain'],
  ['ask', 'approve', 'send', 'fail', 'fail', 'debit', 'debit'],
  ['settle', 'settlement', 'cancelSettlement', 'settlement', 'ask'],
  ['dispute', 'settle', 'reject', 'settle', 'cancelSettlement'],
  ['settle', 'settlement', 'settlement', 'payOut', 'explain', 'explain', 'explain', 'giveBack'],
  ['settle', 'settlement', 'settlement', 'payOut', 'explain', 'payOut', 'explain', 'takeBack', 'ask'],
]

const play = async (books: Books, seed: number, seen: Sightings): Promise<void> => {
  const { service, shop } = books
  const random = randomFrom(seed)
  service.clock.advance(25 * hour)
  await setAgreedRate(service, 'rub', 80 + random(20))
  const known: Known = { payments: [], refunds: [], settlements: [], disputes: [], debits: [], transfers: [] }
  const tricks = openTricks(books, random, known, `s${seed}`)
  const plan = [...oneOf(random, ways)]
  const names = Object.keys(tricks) as Trick[]
  const story: string[] = []
  const take = async (name: Trick): Promise<Answer | undefined> => {
    const answer = await tricks[name]()
    if (!answer) return undefined
    const outcome = `${name} ${answer.status} ${answer.body?.code ?? answer.body?.status ?? ''}`
    story.push(outcome)
    assert.ok(answer.status < 500 || answer.body?.code === 'overloaded', `seed ${seed}: ${story.join('; ')}`)
    seen.note(answer.body?.code === undefined ? outcome : `${name} refused`)
    return answer
  }
  await tricks.pay()
  await tricks.pay()
  for (let steps = 6 + random(16); steps > 0; steps--) {
    const next = (): Trick => (random(3) > 0 ? plan.shift() : undefined) ?? oneOf(random, names)
    if (random(4) === 0) {
      await Promise.all([next(), next(), next()].filter((each) => each !== 'wait').map(take))
      continue
    }
    const name = next()
    const answer = await take(name)
    if (answer?.status !== 201 || (name !== 'ask' && name !== 'settle')) continue
    const { available, waiting = 0 } = (await shop.get('/balance')).body
    // Refunds may take what a settlement must leave.
    const least = name === 'settle' ? waiting : 0
    assert.ok(available >= least, `seed ${seed}: a ${name} left ${available} of ${least}: ${story.join('; ')}`)
  }
  for (const { id } of known.refunds) seen.note(`ended ${await books.statusOf(id)}`)
  for (const id of known.settlements) seen.note(`settlement ${(await shop.get(`/settlements/${id}`)).body.status}`)
}

const run = async (service: TestService, count: number): Promise<void> => {
  const seen = openSightings()
  const both = [await openBooks(service, 'USDT'), await openBooks(service, 'rub')] as const
  const first = seedOf() * 1_000_000
  await repeat(
    'refunds',
    count,
    async (index) => {
      await play(both[index % 2 === 0 ? 0 : 1], first + index, seen)
      if (index % 20 !== 19) return
      await service.runJobs()
      await assertHealthy(service)
      assert.deepEqual(await service.context.query(listTwice, {}), [])
    },
    () => seen.text(),
  )
  if (count >= 100) seen.assertSeen(...['done', 'failed', 'canceled', 'refused', 'sent'].map((each) => `ended ${each}`))
  if (isTorture) console.log(seen.text())
}

onEngines('whatever happens to refunds at once, no money is lost, made or given back twice', (service) =>
  run(service, countOf(20)),
)
