// Endpoints whose names cannot be looked up, next to others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deliverNotifications,
  stopDelivering,
} from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { queueDeliveries } from '../../src/engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { createWebhookSender } from '../../src/gateways/webhook-sender.ts'
import { addEndpoint, deliveriesOf, notified } from '../support/notified.ts'
import { openNameServer } from '../support/name-server.ts'
import { openReceiver } from '../support/receiver.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { addEndpoints, addEvents } from './add-events.ts'
import { removeEndpoints } from './share-notified.ts'

const opened = shareService({ environment: notified })

test('forty endpoints whose name servers say nothing do not hold up the deliveries of another one', async () => {
  const service = opened()
  await using server = await openNameServer({ 'silent.test': [], 'shop.test': [['127.0.0.1']] })
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const urls = Array.from({ length: 40 }, () => 'https://silent.test/')
  const silent = await addEndpoints(service, shop.merchantId, urls)
  await addEvents(service, shop.merchantId, 1)
  await queueDeliveries(service.context)
  const healthy = await addEndpoint(shop, { url: receiver.url.replace('127.0.0.1', 'localhost') })
  const webhooks = createWebhookSender({ clock: Date.now, timeoutMs: 15_000, nameServers: [server.address] })
  const context = { ...service.context, webhooks }
  try {
    await deliverNotifications(context)
    await until('their names are being looked up', () => server.questions.length >= 40)
    await shop.post(`/endpoints/${healthy.id}/test`, {})
    await queueDeliveries(context)
    await until('the other one is called', async () => {
      await deliverNotifications(context)
      return receiver.calls.length > 0
    })
    const [, last] = await Promise.all(silent.map((id) => deliveriesOf(shop, id)))
    assert.deepEqual([last?.[0]?.status, last?.[0]?.attempts], ['pending', 0], 'they are still being looked up')
  } finally {
    await webhooks.close()
    await stopDelivering(context)
  }
  await removeEndpoints(service)
})
