import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { openSpans } from '../../src/tracing/spans.ts'
import { addEndpoint } from '../support/notified.ts'
import { openReceiver } from '../support/receiver.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

test('without an SDK there are no traces, and nothing that costs', async () => {
  assert.equal(openSpans('1.0.0', Date.now), undefined)
})

describe('traces', () => {
  const exporter = new InMemorySpanExporter()
  let service: TestService
  let shop: Shop
  before(async () => {
    // As `--import` does: before the service starts.
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
    service = await openTestService(usualEngine(), { PAYIN_ROLES: 'web,worker', PAYIN_NOTIFICATION_LOOPBACK: 'on' })
    shop = await openShop(service, { perMethod: 1 })
  })
  after(async () => {
    await service.stop()
    trace.disable()
    context.disable()
    propagation.disable()
  })
  beforeEach(() => exporter.reset())

  /** Waits for a span: it ends after the answer. */
  const spanOf = async (name: string): Promise<ReadableSpan> => {
    for (let tries = 0; tries < 1000; tries++) {
      const found = exporter.getFinishedSpans().find((span) => span.name === name)
      if (found) return found
      await sleep(20)
    }
    throw new Error(
      `no span ${name} among ${exporter
        .getFinishedSpans()
        .map(({ name: each }) => each)
        .join()}`,
    )
  }

  const route = 'POST /api/v1/merchant/payments'

  test('a request is a span in the trace of its caller; its batch is linked, and has the queries of the batch', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`
    const fields = { type: 'direct', amount: 5000, orderId: 'traced', currency: 'rub', method: 'sbp' }
    const created = await shop.post('/payments', fields, { traceparent, baggage: 'secret=1' })
    assert.equal(created.status, 201)
    const request = await spanOf(route)
    assert.equal(request.kind, SpanKind.SERVER)
    assert.equal(request.spanContext().traceId, traceId)
    assert.equal(request.parentSpanContext?.spanId, 'b7ad6b7169203331')
    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/api/v1/merchant/payments',
      'http.response.status_code': 201,
      'payin.operation': request.attributes['payin.operation'],
      'payin.merchant.id': shop.merchantId,
    })
    const batch = await spanOf('batch create-payment')
    assert.equal(batch.attributes['payin.batch.calls'], 1)
    assert.deepEqual(
      batch.links.map((link) => link.context.spanId),
      [request.spanContext().spanId],
    )
    const queries = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('query '))
    const ofBatch = queries.filter((span) => span.parentSpanContext?.spanId === batch.spanContext().spanId)
    assert.ok(ofBatch.length > 0)
  })

  test('no span has a body, a query, an order, a token or an amount', async () => {
    const secret = 'order-of-anna'
    await shop.create(secret, { amount: 4321.09 })
    await shop.get(`/payments/byOrderId/${secret}?secret=${secret}`)
    await fetch(`${service.url}/pay/${secret}?token=${secret}`)
    await spanOf(route)
    await sleep(100)
    const texts = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => JSON.stringify([name, attributes, events, status]))
    for (const text of texts) {
      for (const canary of [secret, shop.token, '4321', '432109']) assert.ok(!text.includes(canary), text)
    }
  })

  test('a refusal has its code and is no failure of ours', async () => {
    await shop.create('refused', { amount: true })
    const request = await spanOf(route)
    assert.equal(request.attributes['http.response.status_code'], 400)
    assert.equal(request.attributes['error.type'], 'validation_failed')
    assert.equal(request.status.code, SpanStatusCode.UNSET)
  })

  test('a page that payers open starts a trace of its own, and checks of health have none', async () => {
    const traceparent = '00-11111111111111111111111111111111-b7ad6b7169203331-01'
    await fetch(`${service.url}/healthz`)
    await fetch(`${service.url}/openapi.json`, { headers: { traceparent } })
    const page = await spanOf('GET /openapi.json')
    assert.notEqual(page.spanContext().traceId, '11111111111111111111111111111111')
    assert.ok(!exporter.getFinishedSpans().some(({ name }) => name.includes('/healthz')))
  })

  test('a round of a job is a span where it did something, or failed', async () => {
    assert.equal((await shop.create('expires', { amount: 6001 })).status, 201)
    service.clock.advance(24 * 3_600_000)
    const job = await spanOf('job expire-payments')
    assert.ok(Number(job.attributes['payin.job.items']) > 0)
    const idle = exporter.getFinishedSpans().filter(({ attributes }) => attributes['payin.job.items'] === 0)
    assert.deepEqual(
      idle.map(({ name, status }) => [name, status.code]).filter(([, code]) => code !== SpanStatusCode.ERROR),
      [],
    )
  })

  test('an attempt to deliver is a span that is linked with the trace of the event, and has no address', async () => {
    await using receiver = await openReceiver()
    const sandbox = await openShop(service, { mode: 'sandbox', perMethod: 1 })
    const endpoint = await addEndpoint(sandbox, { url: `${receiver.url}/hook?secret=a` })
    const { body } = await sandbox.create('delivered', { amount: 7002 })
    await payIn(service, { requisiteId: body.card.id, minor: 7002_00n })
    const attempt = await spanOf('deliver notification')
    const [call] = receiver.calls
    const [, traceId, spanId] = String(call?.headers['traceparent']).split('-')
    assert.equal(traceId, call?.id.replaceAll('-', ''))
    const [link] = attempt.links
    assert.deepEqual([link?.context.traceId, link?.context.spanId], [traceId, spanId])
    assert.deepEqual(attempt.attributes, {
      'payin.event.id': call?.id,
      'payin.endpoint.id': endpoint.id,
      'payin.delivery.attempt': 1,
      'http.response.status_code': 204,
    })
  })
})

test('an SDK that --import registers is there when the service asks for it', async () => {
  const root = join(import.meta.dirname, '..', '..')
  const asks = `import { openSpans } from './src/tracing/spans.ts'; console.log(openSpans('1', Date.now) !== undefined)`
  const run = (imports: string[]) =>
    promisify(execFile)(process.execPath, [...imports, '--input-type=module', '-e', asks], { cwd: root })
  const [without, registered] = await Promise.all([run([]), run(['--import', './test/tracing/register-sdk.mjs'])])
  assert.deepEqual([without.stdout.trim(), registered.stdout.trim()], ['false', 'true'])
})
