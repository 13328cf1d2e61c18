// The payment provider for Medusa: its rules against a real service, and, where Medusa is installed, a whole shop.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { PayinSessions, Refused } from '../../plugins/medusa/src/payin-sessions.ts'
import { Payin, WebhookError, webhooks } from '../../sdk/src/payin-sdk.ts'
import { minute, second } from '../../src/rules/time.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, send } from '../support/shop.ts'

describe('payment sessions of Medusa', () => {
  const service = shareService({ environment: notified })

  const receivers: Receiver[] = []
  after(async () => {
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
  })

  const openSessions = async () => {
    const shop = await openShop(service(), { mode: 'sandbox' })
    const receiver = await openReceiver()
    receivers.push(receiver)
    const { secret } = await addEndpoint(shop, { url: receiver.url })
    const options = { baseUrl: service().url, token: shop.token, webhookSecret: secret }
    // The service has a clock of its own.
    const verify: typeof webhooks.verify = (delivery) => webhooks.verify({ ...delivery, toleranceMs: Infinity })
    const sessions = new PayinSessions(new Payin(options), verify, options)
    const simulate = async (orderId: string, ...events: readonly object[]) => {
      for (const event of events) {
        const path = `/api/v1/sandbox/payments/byOrderId/${orderId}/simulate`
        const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
        const answer = await send(service(), path, { method: 'POST', headers, body: JSON.stringify(event) })
        assert.equal(answer.status, 202, JSON.stringify(answer.body))
        await service().runJobs()
        // A dispute takes several steps.
        service().clock.advance(2 * second)
        await service().runJobs()
      }
    }
    return { shop, receiver, sessions, simulate }
  }

  test('a session is a payment, and beginning it again is the same payment', async () => {
    const { sessions } = await openSessions()
    const first = await sessions.begin({ session_id: 'payses_1' }, 5000.37, 'RUB', 'cus_1')
    assert.equal(first.id, 'payses_1')
    assert.equal(first.status, 'pending')
    assert.match(first.data.redirectUrl, /\/payment-sbp$/)
    assert.deepEqual(await sessions.begin({ session_id: 'payses_1' }, 5000.37, 'RUB', 'cus_1'), first)
    assert.equal((await sessions.read(first.data)).status, 'pending')
  })

  test('money makes a session authorized, and capturing acknowledges it', async () => {
    const { shop, sessions, simulate } = await openSessions()
    const { data } = await sessions.begin({ session_id: 'payses_2' }, 5000, 'rub', undefined)
    await assert.rejects(sessions.acknowledge(data), { name: 'Error', code: 'invalid_state' })
    await simulate('payses_2', { event: 'paid' })
    assert.equal((await sessions.read(data)).status, 'authorized')
    const unseen = async () => (await shop.get('/payments?acknowledged=false')).body.payments.length
    assert.equal(await unseen(), 1)
    assert.equal((await sessions.acknowledge(data)).status, 'paid')
    await sessions.acknowledge(data)
    assert.equal(await unseen(), 0)
  })

  test('a refund is asked for once under its id, and never for more than was paid', async () => {
    const { shop, sessions, simulate } = await openSessions()
    const { data } = await sessions.begin({ session_id: 'payses_9' }, 5000, 'rub', undefined)
    await assert.rejects(sessions.refund(data, 100, 'ref_0'), { code: 'invalid_state' })
    await simulate('payses_9', { event: 'paid' })
    const first = await sessions.refund(data, 2000, 'ref_1')
    const [{ id, ...asked }] = (await shop.get('/refunds')).body.refunds
    assert.deepEqual([asked.orderId, asked.amount, asked.reference], ['payses_9', 2000, 'ref_1'])
    assert.deepEqual(first['refunds'], { ref_1: { id, status: 'requested', amount: 2000 } })
    assert.deepEqual(await sessions.refund(first, 2000, 'ref_1'), first)
    await assert.rejects(sessions.refund(first, 3000.01, 'ref_2'), { code: 'balance_insufficient' })
    assert.equal((await shop.get('/refunds')).body.refunds.length, 1)
  })

  test('another amount is another payment, and the first is canceled', async () => {
    const { shop, sessions, simulate } = await openSessions()
    const { data } = await sessions.begin({ session_id: 'payses_3' }, 5000, 'rub', undefined)
    assert.equal((await sessions.change(data, 5000, 'rub', undefined)).data.orderId, 'payses_3')
    const fewer = await sessions.change(data, 4000, 'rub', undefined)
    assert.equal(fewer.data.orderId, 'payses_3-2')
    assert.equal(fewer.data.session_id, 'payses_3')
    assert.equal(await shop.status('payses_3'), 'canceled')
    const more = await sessions.change(fewer.data, 4500, 'rub', undefined)
    assert.equal(more.data.orderId, 'payses_3-3')
    await simulate('payses_3-3', { event: 'partial' })
    await assert.rejects(sessions.change(more.data, 100, 'rub', undefined), Refused)
    await assert.rejects(sessions.cancel(more.data), Refused)
  })

  test('a canceled session stays canceled', async () => {
    const { sessions } = await openSessions()
    const { data } = await sessions.begin({ session_id: 'payses_4' }, 5000, 'rub', undefined)
    assert.equal((await sessions.cancel(data)).status, 'canceled')
    assert.equal((await sessions.cancel(data)).status, 'canceled')
    assert.equal((await sessions.read(data)).status, 'canceled')
  })

  test('what cannot be created says why', async () => {
    const { sessions } = await openSessions()
    await assert.rejects(sessions.begin({ session_id: 'payses_5' }, 1, 'rub', undefined), (error) => {
      assert.ok(error instanceof Refused)
      assert.equal(error.code, 'amount_below_min')
      return true
    })
    await assert.rejects(sessions.begin({}, 5000, 'rub', undefined), Refused)
    await assert.rejects(sessions.read({}), Refused)
  })

  test('a notification of money captures what came, of nothing else, and only if Payin signed it', async () => {
    const { receiver, sessions, simulate } = await openSessions()
    await sessions.begin({ session_id: 'payses_6' }, 5000, 'rub', undefined)
    await simulate('payses_6', { event: 'paid' })
    const [call] = receiver.calls
    assert.ok(call)
    const { body, headers } = call
    assert.deepEqual(await sessions.readNotification(body, headers), {
      action: 'captured',
      data: { session_id: 'payses_6', amount: 5000 },
    })
    await assert.rejects(sessions.readNotification(`${body} `, headers), WebhookError)
    // A shop that was away is reminded, and captures then.
    service().clock.advance(6 * minute)
    await service().runJobs()
    const reminder = receiver.calls.find(({ type }) => type === 'payment.ack-overdue')
    assert.ok(reminder)
    assert.deepEqual(await sessions.readNotification(reminder.body, reminder.headers), {
      action: 'captured',
      data: { session_id: 'payses_6', amount: 5000 },
    })
  })

  test('of another amount than the order, what was credited is captured, and never more than the order', async () => {
    const { receiver, sessions, simulate } = await openSessions()
    for (const [orderId, credited, captured] of [
      ['payses_7', 3000, 3000],
      ['payses_8', 6000, 5000],
    ] as const) {
      const { data } = await sessions.begin({ session_id: orderId }, 5000, 'rub', undefined)
      await simulate(orderId, { event: 'dispute-accepted', amount: credited })
      const call = receiver.calls.findLast(({ type }) => type === 'payment.disput-paid')
      assert.ok(call)
      assert.deepEqual(await sessions.readNotification(call.body, call.headers), {
        action: 'captured',
        data: { session_id: orderId, amount: captured },
      })
      const read = await sessions.read(data)
      assert.deepEqual([read.status, read.data.status, read.data.finalAmount], ['authorized', 'disput-paid', credited])
    }
    await sessions.begin({ session_id: 'payses_9' }, 5000, 'rub', undefined)
    await simulate('payses_9', { event: 'expired' })
    const expired = receiver.calls.find(({ type }) => type === 'payment.expired')
    assert.ok(expired)
    assert.deepEqual(await sessions.readNotification(expired.body, expired.headers), { action: 'not_supported' })
  })
})
