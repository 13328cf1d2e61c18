// What one operator or merchant looks at, a few things at a time.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type ClientRequest } from 'node:http'
import { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import type { Context } from '../../src/engine/context.ts'
import type { App } from '../../src/http/routes/app.ts'
import { sendPages } from '../../src/http/routes/list-export.ts'
import { getPaymentStatusRoute } from '../../src/http/merchant-api/one-payment.ts'
import { paymentListRoutes } from '../../src/http/merchant-api/list-payments.ts'
import { moneyRoutes } from '../../src/http/merchant-api/money.ts'
import { settlementRoutes } from '../../src/http/merchant-api/settlements.ts'
import { operatorTurn, takeReporterTurns, takeTurns } from '../../src/http/access/take-turns.ts'
import { until } from '../support/waiting.ts'

test('an operator has four reads and four changes under way at once; other operators do not wait for them', async () => {
  const app = Fastify() as unknown as App
  app.addHook('onRequest', async (request) => {
    request.operator = String(request.headers['x-operator'])
  })
  takeTurns(app, operatorTurn)
  const begun: string[] = []
  const answers: (() => void)[] = []
  const handle = async ({ operator }: { operator: string }) => {
    begun.push(operator)
    await new Promise<void>((resolve) => void answers.push(resolve))
    return 'done'
  }
  app.get('/list', { config: { duty: 'read' } }, handle)
  app.post('/decide', { config: { duty: 'decide' } }, handle)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const send = (operator: string, method = 'GET'): ClientRequest => {
    const path = method === 'GET' ? '/list' : '/decide'
    const sent = httpRequest({
      port,
      host: '127.0.0.1',
      method,
      path,
      agent: false,
      headers: { 'x-operator': operator },
    })
    sent.on('error', () => undefined)
    sent.on('response', (response) => response.resume())
    sent.end()
    return sent
  }
  const reaches = async (count: number): Promise<void> => {
    for (let tries = 0; begun.length < count && tries < 2000; tries++) await sleep(10)
    await sleep(50)
    assert.equal(begun.length, count)
  }
  try {
    const [first] = Array.from({ length: 6 }, () => send('anna'))
    await reaches(4)
    const left = send('anna')
    await once(left, 'socket')
    await sleep(50)
    left.destroy()
    const last = send('anna')
    send('boris')
    send('anna', 'POST')
    await reaches(6)
    // A turn ends with its answer, or with whoever asked.
    answers[0]?.()
    await reaches(7)
    first?.destroy()
    answers[1]?.()
    await reaches(8)
    const answered = once(last, 'response')
    for (let index = 2; index < 9; index++) {
      await sleep(20)
      answers[index]?.()
    }
    await answered
    assert.equal(begun.length, 9, 'the one that left took no turn')
    // Previews and bulk decisions have the duty of what they would do.
    const bulk = Array.from({ length: 80 }, () => send('vera', 'POST'))
    await reaches(13)
    for (const each of bulk) each.destroy()
    for (const answer of answers.slice(9)) answer()
  } finally {
    await app.close()
  }
})

test('whoever hangs up has no other request begun while the work for it goes on', async () => {
  const app = Fastify() as unknown as App
  let arrived = 0
  app.addHook('onRequest', async (request) => {
    request.operator = 'anna'
    arrived++
  })
  takeTurns(app, operatorTurn)
  const begun: { closed: Promise<unknown>; finish: () => void }[] = []
  app.get('/list', { config: { duty: 'read' } }, async (_request, reply) => {
    const closed = once(reply.raw, 'close')
    await new Promise<void>((finish) => void begun.push({ closed, finish }))
    return 'done'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const send = (): ClientRequest =>
    httpRequest({ port, host: '127.0.0.1', path: '/list', agent: false })
      .on('error', () => undefined)
      .on('response', (response) => response.resume())
      .end()
  try {
    const sent = Array.from({ length: 4 }, send)
    await until('four are under way', () => begun.length === 4)
    send()
    await until('the fifth is there', () => arrived === 5)
    for (const each of sent) each.destroy()
    await Promise.all(begun.map(({ closed }) => closed))
    await setImmediate()
    assert.equal(begun.length, 4)
    begun[0]?.finish()
    await until('the fifth has its turn', () => begun.length === 5)
  } finally {
    for (const { finish } of begun) finish()
    await app.close()
  }
})

test('of twenty reports of one phone one is under way at a time, and of all phones that one operator alone has added', async () => {
  const app = Fastify() as unknown as App
  takeReporterTurns(app, ({ headers }) => {
    const { 'x-phone': id, 'x-alone': changedBy } = headers
    return { id: String(id), changedBy: changedBy === undefined ? null : String(changedBy) }
  })
  const running = new Map<string, number>()
  let most = 0
  let arrived = 0
  app.addHook('onRequest', async () => void arrived++)
  app.post('/', async ({ headers }) => {
    const by = String(headers['x-alone'] ?? headers['x-phone'])
    const count = (change: number) => running.set(by, (running.get(by) ?? 0) + change).get(by) ?? 0
    most = Math.max(most, count(1))
    await until('all are there', () => arrived === 60)
    count(-1)
    return running.size
  })
  const send = (from: Record<string, string>) => app.inject({ method: 'POST', url: '/', headers: from })
  const sent = Array.from({ length: 20 }, (_, index) => [
    send({ 'x-phone': 'approved' }),
    send({ 'x-phone': `${index} of anna`, 'x-alone': 'anna' }),
    send({ 'x-phone': 'approved, too' }),
  ])
  const answers = await Promise.all(sent.flat())
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
  assert.equal(most, 1)
  assert.equal(running.size, 3)
})

for (const accounts of [1, 20])
  test(`while eighty lists are exported by ${accounts} at once, a health check is answered after few rows of them`, async () => {
    const app = Fastify() as unknown as App
    let asked = 0
    app.addHook('onRequest', async (request) => {
      request.operator = `account ${asked++ % accounts}`
    })
    takeTurns(app, operatorTurn)
    let rows = 0
    const row = {
      get first() {
        return `row ${++rows}`
      },
      second: 'x'.repeat(200),
    }
    const columns = ['first', 'second'].map((name) => ({ name, path: [name] }))
    const readPages = () => {
      let pages = 0
      return async () => {
        await setImmediate()
        return { payments: Array.from({ length: 500 }, () => row), ...(++pages < 10 && { nextCursor: 'more' }) }
      }
    }
    app.get('/export.csv', { config: { duty: 'read' } }, (_request, reply) =>
      sendPages(reply, 'payments', 'payments', columns, readPages()),
    )
    app.get('/healthz', async () => 'ok')
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const read = async (path: string): Promise<void> => {
      const [response] = await once(httpRequest({ port, host: '127.0.0.1', path, agent: false }).end(), 'response')
      await once(response.resume(), 'end')
    }
    try {
      let isOver = false
      const exports = Promise.all(Array.from({ length: 80 }, () => read('/export.csv'))).then(() => (isOver = true))
      await until('the exports are under way', () => rows > 1000, 60_000)
      const between: number[] = []
      while (!isOver) {
        const before = rows
        await read('/healthz')
        between.push(rows - before)
      }
      await exports
      assert.equal(rows, 80 * 10 * 500)
      // Node.js accepts one connection per turn of the loop: the first health check comes after those of the exports.
      const [first = 0, ...others] = between
      assert.ok(first < 40_000, `${first} rows were written before the first health check`)
      assert.ok(Math.max(...others) < 4000, `${Math.max(...others)} rows were written before a health check`)
    } finally {
      await app.close()
    }
  })

test('lists and exports of merchants take turns as well, and what each payment needs does not', async () => {
  const turns = new Map<string, boolean>()
  const note = (path: string, { config }: { config: { takesTurns?: boolean } }): void =>
    void turns.set(path.replace(/^.*merchant/, ''), config.takesTurns === true)
  const app = { get: note, post: note } as unknown as App
  for (const routes of [paymentListRoutes, moneyRoutes, settlementRoutes, getPaymentStatusRoute])
    await routes.register(app, {} as Context)
  const waiting = [...turns].filter(([, takes]) => takes).map(([path]) => path)
  assert.deepEqual(waiting, [
    '/payments',
    '/payments.csv',
    '/entries',
    '/entries.csv',
    '/statement',
    '/report',
    '/settlements.csv',
    '/settlements/:id/entries',
    '/settlements/:id/entries.csv',
    '/destinations.csv',
  ])
  assert.equal(turns.size, 17)
})
