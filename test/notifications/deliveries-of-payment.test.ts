// The calls about one payment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEndpoint, notified } from '../support/notified.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openReceiver } from '../support/receiver.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { runDeliveries } from './pass-time.ts'

const opened = shareService({ environment: notified })

test('the calls for an order are found by its payment, and say which order they are of', async () => {
  const service = opened()
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox' })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  const payments: { payment: { id: string }; card: { id: string } }[] = []
  for (const orderId of ['order-41', 'order-42']) payments.push((await shop.create(orderId)).body)
  for (const minor of [2000_00n, 3000_00n]) {
    for (const { card } of payments) await payIn(service, { requisiteId: card.id, minor })
  }
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  const path = `/endpoints/${id}/deliveries`
  const paymentId = payments[1]?.payment.id ?? ''
  type Row = { type: string; orderId?: string; paymentId?: string; eventId: string }
  const shown = (rows: readonly Row[]) => rows.map(({ type, orderId }) => `${orderId} ${type}`)
  const all = (await shop.get(path)).body.deliveries
  assert.equal(all.length, 5)
  assert.deepEqual(shown(all).toSorted(), [
    'order-41 payment.paid',
    'order-41 payment.processing',
    'order-42 payment.paid',
    'order-42 payment.processing',
    'undefined endpoint.test',
  ])
  const own = (await shop.get(`${path}?paymentId=${paymentId}`)).body
  assert.deepEqual(shown(own.deliveries), ['order-42 payment.paid', 'order-42 payment.processing'])
  assert.ok(own.deliveries.every((each: Row) => each.paymentId === paymentId))
  const first = (await shop.get(`${path}?paymentId=${paymentId}&limit=1&status=delivered`)).body
  assert.deepEqual(shown(first.deliveries), ['order-42 payment.paid'])
  const second = (await shop.get(`${path}?paymentId=${paymentId}&cursor=${first.nextCursor}`)).body
  assert.deepEqual(shown(second.deliveries), ['order-42 payment.processing'])
  const [newest] = own.deliveries
  assert.equal((await shop.get(`${path}/${newest.eventId}`)).body.orderId, 'order-42')
  const other = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const stranger = await addEndpoint(other, { url: receiver.url })
  const foreign = await other.get(`/endpoints/${stranger.id}/deliveries?paymentId=${paymentId}`)
  assert.deepEqual(foreign.body, { deliveries: [] })
  assertProblem(await shop.get(`${path}?paymentId=order-42`), 400, 'validation_failed', ['paymentId'])
  const asOperator = await openOperator(service).get(`/merchants/${shop.merchantId}${path}?paymentId=${paymentId}`)
  assert.deepEqual(asOperator.body, own)
})
