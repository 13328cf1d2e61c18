// The log says of each request that changed something or was refused who asked for what, and how it went.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCourt, pngFile } from '../support/disputes.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, send } from '../support/shop.ts'
import { until } from '../support/waiting.ts'
import { leastWorkOf, workOf } from '../support/work-of.ts'

const opened = shareService()

type Line = Readonly<Record<string, unknown>> & { readonly level: number }

/** Lines about requests that were logged meanwhile, without what differs from run to run. */
const linesOf = async (service: TestService, ask: () => Promise<unknown>): Promise<Line[]> => {
  const before = service.logs.length
  await ask()
  const lines = (): Line[] =>
    service.logs
      .slice(before)
      .map((line) => JSON.parse(line) as Line)
      .filter(({ msg }) => msg === 'request')
  // The line is written once the answer is out; a second one for the same request would follow at once.
  await until('a request is logged', () => lines().length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  return lines()
}

const info = 30
const debug = 20

test('a change is one line with the merchant and the order', async () => {
  const shop = await openShop(opened())
  const [line, ...others] = await linesOf(opened(), () => shop.create('logged'))
  assert.deepEqual(others, [])
  const { time, requestId, ms, pid, hostname, ...rest } = line ?? { level: 0 }
  assert.match(String(requestId), /^[0-9a-f-]{36}$/)
  assert.ok(Number(ms) >= 0)
  assert.deepEqual(rest, {
    level: info,
    operation: 'createPayment',
    outcome: 'done',
    status: 201,
    merchantId: shop.merchantId,
    order: 'logged',
    msg: 'request',
  })
})

test('a refusal has the id and the code of the answer', async () => {
  const shop = await openShop(opened())
  await shop.create('twice')
  let answer: unknown
  const [line] = await linesOf(opened(), async () => {
    answer = (await shop.create('twice', { amount: 5001 })).body
  })
  const { requestId, code } = answer as { requestId: string; code: string }
  assert.deepEqual(
    [line?.level, line?.['requestId'], line?.['code'], line?.['outcome'], line?.['order']],
    [info, requestId, code, 'refused', 'twice'],
  )
})

test('an order that is not valid, or that no payment has, is not logged', async () => {
  const shop = await openShop(opened())
  const lines = await linesOf(opened(), async () => {
    await shop.create('secret order', { currency: 1 })
    await shop.get('/payments/byOrderId/nobody')
  })
  assert.deepEqual(
    lines.map(({ code, order }) => [code, order]),
    [
      ['validation_failed', undefined],
      ['payment_not_found', undefined],
    ],
  )
})

test('a read is a line of level debug', async () => {
  const shop = await openShop(opened())
  const lines = await linesOf(opened(), () => shop.get('/payments/currencies'))
  assert.deepEqual(
    lines.map(({ level, operation }) => [level, operation]),
    [[debug, 'listCurrencies']],
  )
})

test('an operator is named, with the ids in the address', async () => {
  const [line] = await linesOf(opened(), () =>
    openOperator(opened(), 'anna').call('PATCH', `/requisites/${unknownId}`, { status: 'paused' }),
  )
  assert.deepEqual(
    [line?.['operation'], line?.['operator'], line?.['ids'], line?.['code']],
    ['updateRequisite', 'anna', { id: unknownId }, 'resource_not_found'],
  )
})

test('a token that is not known is logged with where it came from, and without itself', async () => {
  const [line] = await linesOf(opened(), () =>
    send(opened(), '/api/v1/operator/merchants', { headers: { authorization: 'Bearer not-a-token-of-anybody' } }),
  )
  assert.deepEqual([line?.['code'], line?.['ip']], ['token_invalid', '127.0.0.1'])
  assert.ok(!JSON.stringify(line).includes('not-a-token'))
})

test('the line about a file does not read the file', async () => {
  const court = await openCourt(opened())
  await court.create('with-file')
  const file = Buffer.concat([pngFile(), Buffer.alloc(4_900_000)])
  let line: Line | undefined
  // Control: a copy of the fields of the body, each of which is a byte of the file.
  const copying = await workOf(() => Object.assign({}, file))
  const upload = async () => ([line] = await linesOf(opened(), () => court.upload('with-file', file)))
  const work = await leastWorkOf(upload, copying / 2)
  assert.deepEqual([line?.['status'], line?.['order']], [404, 'with-file'])
  assert.ok(work < copying / 2, `${work} ms of a processor; the copy took ${copying}`)
})

test('a flood of refusals is one line a second', async () => {
  const service = await openTestService(usualEngine(), { PAYIN_RATE_LIMIT: '5' })
  try {
    const shop = await openShop(service)
    const startedAt = performance.now()
    const lines = await linesOf(service, () =>
      Promise.all(Array.from({ length: 60 }, () => shop.get('/payments/currencies'))),
    )
    const flood = lines.filter(({ code }) => code === 'rate_limited')
    const seconds = (performance.now() - startedAt) / 1000
    assert.ok(flood.length >= 1 && flood.length <= 2 + seconds, `${flood.length} lines in ${seconds} s`)
  } finally {
    await service.stop()
  }
})
