// What the OpenAPI document says of notifications, held against what is sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check } from 'typebox/schema'
import {
  ackOverdueBody,
  endpointTestBody,
  notificationBody,
  refundBody,
  notificationKinds,
  reversalBody,
  settlementBody,
} from '../../src/rules/notices/notification.ts'
import { type Payment, paymentStatuses } from '../../src/rules/payments/payment.ts'
import type { Settlement } from '../../src/rules/money/settlement.ts'
import { withReferences } from '../support/api-document.ts'
import { payment as newPayment, start } from '../support/builders.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { unknownId } from '../support/operator.ts'
import { type Refund, refundStatuses } from '../../src/rules/transfers/refund.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { runDeliveries } from './pass-time.ts'

const opened = shareService({ environment: notified })

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
}
type Webhook = {
  readonly post: {
    readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
    readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  }
}

/** Names of members that a value has and its schema does not. */
const undescribed = (schema: Schema | undefined, value: unknown, path = ''): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const own = schema?.properties?.[name] ?? schema?.additionalProperties
    return own ? undescribed(own, member, `${path}${name}.`) : [path + name]
  })
}

const payment = (fields: Partial<Payment>): Payment => newPayment({ id: unknownId, sequence: 2, ...fields })

const settlement: Settlement = {
  merchantId: unknownId,
  id: unknownId,
  reference: '2026-01-31/1',
  currency: 'USDT',
  amount: 12_500_000n,
  destination: 'an address',
  destinationId: null,
  status: 'paid',
  secondPerson: false,
  sequence: 3,
  isProven: false,
  requestedBy: null,
  draftedBy: 'anna',
  approvedBy: 'boris',
  externalReference: 'payout-1',
  failure: null,
  failingBy: null,
  createdAt: start,
  changedAt: start,
}

const refund: Refund = {
  ...{ merchantId: unknownId, id: unknownId, paymentId: unknownId, orderId: 'order-1', reference: 'refund-7' },
  ...{ currency: 'rub', amount: 1500_50n, quoteCurrency: 'USDT', net: 16_221_622n, fee: 0n, reason: null },
  ...{ status: 'done', sequence: 4, requestedBy: 'merchant', approvedBy: 'anna', decisionId: unknownId, failure: null },
  ...{ createdAt: start, changedAt: start },
}

const bodies = (): string[] => [
  ...refundStatuses
    .filter((status) => status !== 'requested')
    .map((status) => refundBody({ ...refund, status, failure: status === 'failed' ? 'Closed' : null })),
  ...paymentStatuses
    .filter((status) => status !== 'new')
    .map((status) => notificationBody(payment({ status, finalAmount: status === 'disput-paid' ? 4000_00n : null }))),
  ackOverdueBody(payment({ status: 'paid', metadata: { cart: '8213' } }), start, start),
  ackOverdueBody(payment({ status: 'disput-paid', finalAmount: 4000_00n }), start, start),
  reversalBody(payment({ status: 'paid' }), 5000_00n, 54_000_000n, start),
  settlementBody(settlement),
  ...(['approved', 'failed', 'canceled'] as const).map((status) =>
    settlementBody({ ...settlement, status, externalReference: null, failure: status === 'failed' ? 'Closed' : null }),
  ),
  endpointTestBody(unknownId, start),
]

test('every kind of notification is described as it is sent, with its headers', async () => {
  const service = opened()
  await using receiver = await openReceiver()
  const shop = await openShop(service, { mode: 'sandbox' })
  const { id } = await addEndpoint(shop, { url: receiver.url })
  const { card } = (await shop.create('order-1')).body
  for (const minor of [2000_00n, 3000_00n]) await payIn(service, { requisiteId: card.id, minor })
  await shop.post(`/endpoints/${id}/test`, {})
  await runDeliveries(service)
  const served = (await fetch(`${service.url}/openapi.json`).then((answer) => answer.json())) as object
  const { webhooks } = withReferences(served, served) as { webhooks: Record<string, Webhook> }
  assert.deepEqual(Object.keys(webhooks), notificationKinds)
  const seen = new Set<string>()
  for (const body of [...bodies(), ...receiver.calls.map((call) => call.body)]) {
    const event = JSON.parse(body) as { type: string }
    const schema = webhooks[event.type]?.post.requestBody.content['application/json'].schema
    assert.ok(schema && Check(schema, event), body)
    assert.deepEqual(undescribed(schema, event), [], body)
    const others = Object.entries(webhooks).filter(([kind]) => kind !== event.type)
    for (const [, { post }] of others) {
      assert.ok(!Check(post.requestBody.content['application/json'].schema, event), body)
    }
    seen.add(event.type)
  }
  assert.deepEqual([...seen].toSorted(), notificationKinds.toSorted())
  assert.equal(receiver.calls.length, 3)
  for (const { headers, type } of receiver.calls) {
    const parameters = webhooks[type]?.post.parameters ?? []
    const sent = Object.keys(headers).filter((name) => name === 'traceparent' || name.startsWith('webhook-'))
    assert.deepEqual(parameters.map(({ name }) => name).toSorted(), sent.toSorted())
    for (const { name, schema } of parameters) assert.ok(Check(schema, headers[name]), name)
  }
})
