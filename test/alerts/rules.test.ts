// What each rule finds, in words that name it, and when it is over.
import assert from 'node:assert/strict'
import { query, uuid } from 'payin-database'
import { setServiceState } from '../../src/engine/service-state.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import type { AlertRuleName } from '../../src/rules/notices/alert.ts'
import { clockFaultName } from '../../src/rules/clock-fault.ts'
import { day, formatInstant, hour, minute, minuteOfDay } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { openCourt } from '../support/disputes.ts'
import { addEndpoint } from '../support/notified.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { openFeed } from '../support/push.ts'
import { newNumber, openShop, payIn } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'
import { type Alerted, shareAlerted } from './open-alerts.ts'

const onAlerted = shareAlerted()

/** Declares a test of one rule: `arrange` makes it find something, and returns what ends that. */
const finds = (
  rule: AlertRuleName,
  summary: RegExp,
  command: RegExp,
  arrange: (alerted: Alerted) => Promise<() => Promise<unknown>>,
): void =>
  onAlerted(`${rule}: found, named, and over`, [rule], async (alerted) => {
    const end = await arrange(alerted)
    const [incident, ...others] = await alerted.open(rule)
    assert.deepEqual(others, [])
    assert.match(incident?.summary ?? 'nothing was found', summary)
    assert.match(incident?.command ?? '', command)
    await end()
    await alerted.pass(10 * minute)
    assert.deepEqual(await alerted.open(rule), [])
  })

const ok = (answer: { readonly status: number; readonly body: unknown }): void =>
  assert.ok(answer.status < 300, JSON.stringify(answer.body))

finds(
  'dispute-deadline',
  /^The dispute about late-1 of Test Shop, 5000\.00 rub, must be decided by \S+ \S+ UTC\.$/,
  /^payin disputes show \S+ \S+$/,
  async ({ service, pass, open }) => {
    const court = await openCourt(service)
    await court.create('late-1')
    await court.expire()
    const claimed = await court.claim('late-1')
    ok(claimed)
    await pass(minute)
    assert.deepEqual(await open('dispute-deadline'), [])
    await pass(Date.parse(claimed.body.dueAt) - service.clock.now - 4 * hour)
    return async () => ok(await court.step('decision', claimed.body.id, { decision: 'reject' }))
  },
)

finds(
  'merchant-indebted',
  /^Test Shop owes 53\.513514 USDT, more than the agreed 10 USDT: it cannot create payments\.$/,
  /^payin balances --merchant \S+$/,
  async ({ service, operator, pass, open }) => {
    const shop = await openShop(service, { settings: { maxDebt: 10 } })
    const { body } = await shop.create('taken back')
    const { id } = await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    ok(await shop.post('/payments/byOrderId/ack', { orderId: 'taken back' }))
    const { merchantId } = shop
    const destinationId = await openDestination(service, merchantId)
    ok(await operator.call('POST', '/settlements', { merchantId, reference: 'all', destinationId }))
    await pass(minute)
    assert.deepEqual(await open('merchant-indebted'), [])
    ok(await operator.call('POST', `/transfers/${body.card.id}/${id}/reverse`, { reason: 'fraud' }))
    await pass(minute)
    return () => operator.call('PATCH', `/merchants/${shop.merchantId}`, { settings: { maxDebt: 100 } })
  },
)

finds(
  'report-unsent',
  /^The mail server has not accepted the report of Test Shop for \S+ yet: EMESSAGE DATA 452\.$/,
  /^payin ledger report \S+ --period \S+$/,
  async ({ service, operator, mail, pass, open }) => {
    const shop = await openShop(service)
    const settings = { reportEvery: 'day', reportTo: ['books@shop.example'] }
    ok(await operator.call('PATCH', `/merchants/${shop.merchantId}`, { settings }))
    mail.answer = '452 full'
    service.clock.advance(day)
    await service.runJobs()
    await pass(minute)
    assert.deepEqual(await open('report-unsent'), [])
    await pass(hour)
    return async () => {
      mail.answer = '250 taken'
      await service.runJobs()
      ok(await operator.call('PATCH', `/merchants/${shop.merchantId}`, { settings: { reportEvery: null } }))
    }
  },
)

const markGone = query('test_mark_endpoint_gone', {
  parameters: { id: uuid },
  text: `update notification_endpoints set status = 'disabled', disabled_reason = 'gone', disabled_at = created_at
    where id = :id`,
})

finds(
  'endpoint-failing',
  /^The endpoint of Test Shop at shop\.example\.com was disabled because it answered 410 \(gone\)\.$/,
  /^payin endpoints troubled$/,
  async ({ service, pass }) => {
    const shop = await openShop(service)
    const { id } = await addEndpoint(shop, { url: 'https://shop.example.com/payin?key=secret' })
    await service.context.query(markGone, { id })
    await pass(minute)
    return async () => ok(await shop.remove(`/endpoints/${id}`))
  },
)

finds(
  'rate-stale',
  /^The rate of rub, 92\.5 from test, was last set at \S+ \S+ UTC\.$/,
  /^payin rates list$/,
  async ({ service, operator, pass, open }) => {
    // Nobody pays real money in tenge.
    const trial = await openShop(service, { mode: 'sandbox', perMethod: 0 })
    await service.context.transaction(async (tx) => {
      await setRate(tx, { currency: 'kzt', price: 520_00000000n, source: 'test', validUntil: null })
      const account = { method: 'card-to-card', currency: 'kzt', transferScope: null, bankIssuer: 'bank-a' } as const
      const own = { merchantId: trial.merchantId, mode: 'sandbox', holder: 'X', limits: {} } as const
      await addRequisites(tx, [{ ...account, ...own, number: newNumber('card-to-card') }])
    })
    await openShop(service)
    await pass(day - minute)
    assert.deepEqual(await open('rate-stale'), [])
    await pass(2 * minute)
    return async () => ok(await operator.call('PUT', '/rates/rub', { price: 93 }))
  },
)

finds(
  'requisite-limit',
  /^The requisite •••• \d{4} has used 90 % of a limit: 9000\.00 rub of 10000\.00 rub today\.$/,
  /^payin requisites health$/,
  async ({ service, pass, open, operator }) => {
    // It is noon there, so that both payments are of one day.
    const utcOffsetMinutes = 12 * 60 - minuteOfDay(service.clock.now, 0)
    const shop = await openShop(service, { perMethod: 1, limits: { dayAmount: 10_000_00n, utcOffsetMinutes } })
    ok(await shop.create('near-1', { amount: 8000 }))
    await pass(10 * minute)
    assert.deepEqual(await open('requisite-limit'), [])
    const { body } = await shop.create('near-2', { amount: 1000 })
    await pass(10 * minute)
    return async () => ok(await operator.call('PATCH', `/requisites/${body.card.id}`, { limits: { dayAmount: null } }))
  },
)

const pauseRow = query('test_pause_requisite', {
  parameters: { id: uuid, pauseId: uuid },
  text: `with paused as (update requisites set status = 'paused' where id = :id)
    insert into requisite_pauses (requisite_id, id, cause, explanation, paused_at)
    values (:id, :pauseId, 'expired', '{"run": 10, "limit": 10, "since": null}', now())`,
})

finds(
  'requisite-paused',
  /^The requisite •••• \d{4} \(rub\) is paused: 10 payments in a row expired\.$/,
  /^payin requisites pauses --open$/,
  async ({ service, operator, pass }) => {
    const { requisiteIds } = await openShop(service)
    const id = requisiteIds[0] ?? ''
    await service.context.query(pauseRow, { id, pauseId: service.context.newId() })
    await pass(minute)
    return async () => ok(await operator.call('PATCH', `/requisites/${id}`, { status: 'active' }))
  },
)

finds(
  'reconciliation-difference',
  /^On •••• \d{4} the bank has more than the ledger by 12\.34 rub at the end of \d{4}-\d\d-\d\d \(operator\)\.$/,
  /^payin ledger reconcile --requisite \S+$/,
  async ({ service, operator, pass }) => {
    const shop = await openShop(service)
    const created = await shop.create('twice', { amount: 600 })
    const requisiteId: string = created.body.card.id
    const sent = { requisiteId, minor: 600_00n }
    await payIn(service, { ...sent, reference: 'BANKREF-P-1' })
    await payIn(service, { ...sent, reference: 'BANKREF-P-2' })
    ok(await shop.post('/payments/byOrderId/ack', { orderId: 'twice' }))
    const refund = { reference: 'R-1', decision: 'refund', reason: 'paid twice', requisiteId }
    const decisions = `/overpayments/${shop.merchantId}/${created.body.payment.id}/decisions`
    ok(await operator.call('POST', decisions, refund))
    const today = formatInstant(service.clock.now + 3 * 60 * minute).slice(0, 10)
    const close = (balance: number) =>
      operator.call('PUT', `/requisites/${requisiteId}/closing-balances/${today}`, { balance, currency: 'rub' })
    ok(await close(612.34))
    await pass(10 * minute)
    // The bank may have as much more as a refund that it has not reported yet.
    return async () => ok(await close(1200))
  },
)

finds(
  'reconciliation-difference',
  /^On •••• \d{4} the bank has more than the ledger by 50000\.00 rub at the end of \d{4}-\d\d-\d\d \(\S+\)\.$/,
  /^payin ledger reconcile --requisite \S+$/,
  async ({ service, operator, pass, open }) => {
    const bank = await openBank(service)
    const dayBefore = (days: number) => formatInstant(Date.parse(bank.date) - days * day).slice(0, 10)
    const [eve, last] = [dayBefore(2), dayBefore(1)]
    const bring = (minor: bigint, date: string, opening?: bigint) =>
      bank.bringAgreed(mt940Of, [{ minor, date, text: `of ${date}` }], { closedOn: date, ...(opening && { opening }) })
    await bring(100_00n, eve)
    await bring(100_00n, last, 50_100_00n)
    await pass(10 * minute)
    // Neither what one person says of a later day ends it, nor that nobody gets the account any more.
    const path = `/requisites/${bank.requisiteId}`
    const held = await bank.balanceOf(`bank:${bank.requisiteId}`)
    const close = (balance: number) =>
      operator.call('PUT', `${path}/closing-balances/${bank.date}`, { balance, currency: 'rub' })
    ok(await close(held))
    ok(await operator.call('PATCH', path, { status: 'retired', reason: 'old' }))
    await pass(10 * minute)
    assert.equal((await open('reconciliation-difference')).length, 1)
    return async () => {
      await bring(50_000_00n, last, 200_00n)
      ok(await close(held + 50_000))
    }
  },
)

const forgetDue = query('test_forget_payment_due', {
  parameters: { id: uuid },
  text: `update payments set due_at = null where id = :id`,
})
const rememberDue = query('test_remember_payment_due', {
  parameters: { id: uuid },
  text: `update payments set due_at = expired_at where id = :id`,
})

finds(
  'invariant-broken',
  /^The invariant due-while-open is broken in 1 row, such as /,
  /^payin doctor$/,
  async ({ service, operator, pass }) => {
    const { body } = await (await openShop(service)).create('broken-1')
    // What the tests before left overdue is done first.
    await service.runJobs('all')
    ok(await operator.call('PATCH', '/alert-rules/invariant-broken', { enabled: true }))
    const { id } = body.payment
    await service.context.query(forgetDue, { id })
    await pass(0)
    return async () => {
      await service.context.query(rememberDue, { id })
      // A rule that is set is checked at once.
      ok(await operator.call('PATCH', '/alert-rules/invariant-broken', { enabled: true }))
      await pass(0)
    }
  },
)

finds(
  'acknowledgement-overdue',
  /^Test Shop has not acknowledged a paid payment, alone over 5000\.00 rub\.$/,
  /^payin payments list --merchant \S+ --unacknowledged$/,
  async ({ service, pass }) => {
    const shop = await openShop(service)
    const { body } = await shop.create('alone')
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'alone' })
    await pass(61 * minute)
    return async () => ok(await shop.post('/payments/byOrderId/ack', { orderId: 'alone' }))
  },
)

finds(
  'acknowledgement-overdue',
  /^Test Shop has not acknowledged 2 paid payments, the oldest read-0 over 5000\.00 rub\.$/,
  /^payin payments list --merchant \S+ --unacknowledged$/,
  async ({ service, pass, open }) => {
    const shop = await openShop(service)
    for (let index = 0; index < 2; index++) {
      const { body } = await shop.create(`read-${index}`)
      await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: `read ${index}` })
      service.clock.advance(minute)
    }
    await pass(58 * minute - 1)
    assert.deepEqual(await open('acknowledgement-overdue'), [])
    await pass(2 * minute)
    return async () => {
      for (let index = 0; index < 2; index++)
        ok(await shop.post('/payments/byOrderId/ack', { orderId: `read-${index}` }))
    }
  },
)

finds(
  'statement-missing',
  /^The source silent-\S+ has sent nothing for more than 3 d\.$/,
  /^payin sources list$/,
  async ({ service, pass, open }) => {
    const { requisiteIds } = await openShop(service)
    const push = await openFeed(service, `silent-${service.engine}`, [requisiteIds[0] ?? ''])
    await pass(3 * day - minute)
    assert.deepEqual(await open('statement-missing'), [])
    await pass(10 * minute)
    return async () =>
      ok(
        await push([
          {
            requisiteId: requisiteIds[0],
            amount: 1,
            currency: 'rub',
            bookedAt: formatInstant(service.clock.now),
            bankReference: 'heard',
            status: 'pending',
          },
        ]),
      )
  },
)

finds(
  'clock-differs',
  /^Of the process worker 7@pay-2, its clock is 3 d ahead of the database's: /,
  /^payin installation$/,
  async ({ service, pass }) => {
    const name = clockFaultName('worker 7@pay-2')
    await pass(minute)
    const at = service.clock.now
    const fault = { fault: "its clock is 3 d ahead of the database's", since: at, at }
    await setServiceState(service.context, name, JSON.stringify(fault))
    await pass(minute)
    // A process that ended reports no more.
    return async () => undefined
  },
)

finds(
  'paid-by-rate',
  /^Payers of Test Shop pay by the rate: 90 % of 30 payments whose rate moved in their favour were paid, and 0 % of 30 others\.$/,
  /^payin rates paid-shares$/,
  async ({ service, operator, pass }) => {
    const shop = await openShop(service, { perMethod: 1 })
    const create = async (round: number, paid: number): Promise<void> => {
      for (let number = 0; number < 30; number++) {
        const amount = 1000 * round + number
        const { body } = await shop.create(`by-rate-${amount}`, { amount })
        if (number < paid) await payIn(service, { requisiteId: body.card.id, minor: BigInt(amount) * 100n })
      }
    }
    await create(1, 0)
    service.clock.advance(hour)
    await create(2, 27)
    ok(await operator.call('PUT', '/rates/rub', { price: 93 }))
    service.clock.advance(6 * hour)
    await service.runJobs()
    await pass(minute)
    const { merchants } = (await operator.get('/rates/paid-shares')).body
    const shares = { favoured: 30, favouredPaid: 27, others: 30, othersPaid: 0 }
    assert.deepEqual(merchants[0], { merchantId: shop.merchantId, merchantName: 'Test Shop', ...shares })
    return async () => {
      ok(await operator.call('PATCH', '/alert-rules/paid-by-rate', { threshold: 95 }))
      service.clock.advance(6 * hour)
    }
  },
)

finds(
  'pickup-waiting',
  /^The pickup of the source fails-\S+ has a problem: the service has no folder for pickups \(PAYIN_PICKUP_FOLDER\)\.$/,
  /^payin sources files [0-9a-f-]{36}$/,
  async ({ service, operator, pass, open }) => {
    const { requisiteIds } = await openShop(service)
    const wanted = { name: `fails-${service.engine}`, requisiteIds: requisiteIds.slice(0, 1) }
    const { body } = await operator.call('POST', '/statement-sources', wanted)
    ok(await operator.call('PUT', `/statement-sources/${body.id}/pickup`, { address: 'folder:volga' }))
    await service.runJobs()
    await pass(9 * minute)
    assert.deepEqual(await open('pickup-waiting'), [])
    await pass(minute)
    return async () => ok(await operator.call('POST', `/statement-sources/${body.id}/pickup/end`))
  },
)

finds(
  'phone-silent',
  /^The phone phone \d+ has sent nothing for more than 30 minutes\.$/,
  /^payin phones list$/,
  async ({ service, pass, open }) => {
    const { requisiteIds } = await openShop(service)
    const phone = await openPhone(service, requisiteIds.slice(0, 1), { silentMinutes: 30 })
    await pass(30 * minute)
    assert.deepEqual(await open('phone-silent'), [])
    await pass(minute)
    return async () => ok(await phone.forward({ event: 'ping' }))
  },
)

finds(
  'message-waiting',
  /^A message of sberbank on the phone phone \d+ waits for a person \(unknown\)\.$/,
  /^payin phones messages --open$/,
  async ({ service, pass, open }) => {
    const { requisiteIds } = await openShop(service)
    const phone = await openPhone(service, requisiteIds.slice(0, 1))
    await phone.sms('СЧЁТ4071 что-то новое 500р')
    await pass(9 * minute)
    assert.deepEqual(await open('message-waiting'), [])
    await pass(minute)
    const [{ id }] = await phone.messages()
    return async () => ok(await phone.decide(id, 'dismiss'))
  },
)

finds(
  'balance-gap',
  /^Between two messages about •••• \d{4} on the phone phone \d+, 400\.00 rub is missing: a message was lost, or one is forged\. Import the statement\.$/,
  /^payin phones messages --open$/,
  async ({ service, pass }) => {
    const { requisiteIds } = await openShop(service)
    const phone = await openPhone(service, requisiteIds.slice(0, 1))
    await phone.sms(creditOf(service, 100, 1100))
    await phone.sms(creditOf(service, 200, 1700))
    await pass(11 * minute)
    const [{ id }] = await phone.messages()
    return async () => ok(await phone.decide(id, 'accept'))
  },
)
