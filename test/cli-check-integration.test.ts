// `payin check-integration` against a handler that is right, and against handlers with one fault each.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Payin, webhooks } from '../sdk/src/payin-sdk.ts'
import { runPayin } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'
import { openShop, type Shop } from './support/shop.ts'

const opened = shareService()
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

/** What is wrong with a handler. */
type Fault =
  | 'believes anything'
  | 'fails at what is forged'
  | 'does not look at the time'
  | 'takes the first signature only'
  | 'remembers before it verifies'
  | 'refuses duplicates'
  | 'credits duplicates'
  | 'credits parallel duplicates'
  | 'fails at parallel duplicates'
  | 'remembers before it has the body'
  | 'never acknowledges'
  | 'takes expired as the end'
  | 'knows paid only'
  | 'credits the amount'
  | 'credits an order once'
  | 'adds corrections'
  | 'fails at older events'
  | 'goes back to older events'
  | 'fails at unknown types'
  | 'fails at reversals'
  | 'is slow'
  | 'redirects'

type Event = {
  readonly type: string
  readonly data: { orderId: string; sequence: number; amount: number; finalAmount?: number }
}

class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super(`answered ${status}`)
    this.status = status
  }
}

/** A shop's handler, which credits by order: the right one, or one with a fault. */
const openHandler = async (shop: Shop, fault?: Fault) => {
  const payin = new Payin({ baseUrl: opened().url, token: shop.token })
  const seen = new Set<string>()
  const underWay = new Set<string>()
  const sequences = new Map<string, number>()
  const credits = new Map<string, number>()
  const ended = new Set<string>()

  const verify = async (body: Buffer, headers: Record<string, string>): Promise<Event> => {
    if (fault === 'believes anything') return JSON.parse(body.toString()) as Event
    const [first = ''] = (headers['webhook-signature'] ?? '').split(' ')
    const given = fault === 'takes the first signature only' ? { ...headers, 'webhook-signature': first } : headers
    const toleranceMs = fault === 'does not look at the time' ? Infinity : 300_000
    try {
      return (await webhooks.verify({ body, headers: given, secret, toleranceMs })) as Event
    } catch {
      throw new Refused(fault === 'fails at what is forged' ? 500 : 400)
    }
  }

  const credit = async ({ type, data }: Event): Promise<void> => {
    const { orderId, sequence, amount, finalAmount } = data
    const known = sequences.get(orderId) ?? 0
    if (sequence < known && fault === 'fails at older events') throw new Refused(500)
    if (sequence < known && fault !== 'goes back to older events') return
    sequences.set(orderId, sequence)
    if (fault === 'takes expired as the end' && ended.has(orderId)) return
    if (type === 'payment.expired') {
      ended.add(orderId)
      if (fault === 'goes back to older events') credits.set(orderId, 0)
    }
    if (type !== 'payment.paid' && (type !== 'payment.disput-paid' || fault === 'knows paid only')) return
    const credited = fault === 'credits the amount' ? amount : (finalAmount ?? amount)
    const isAdded =
      fault === 'credits duplicates' || fault === 'credits parallel duplicates' || fault === 'adds corrections'
    if (fault !== 'credits an order once' || !credits.has(orderId))
      credits.set(orderId, credited + (isAdded ? (credits.get(orderId) ?? 0) : 0))
    if (fault !== 'never acknowledges') await payin.payments.ack(orderId)
  }

  const handle = async (body: Buffer, headers: Record<string, string>): Promise<void> => {
    const id = headers['webhook-id'] ?? ''
    if (fault === 'remembers before it verifies' && seen.has(id)) return
    if (fault === 'remembers before it verifies') seen.add(id)
    const event = await verify(body, headers)
    if (fault !== 'credits duplicates' && fault !== 'remembers before it verifies' && seen.has(id)) {
      if (fault === 'refuses duplicates') throw new Refused(409)
      return
    }
    if (fault === 'fails at parallel duplicates' && underWay.has(id)) throw new Refused(500)
    underWay.add(id)
    if (fault?.endsWith('parallel duplicates')) await sleep(300)
    seen.add(id)
    if (fault === 'is slow') await sleep(1100)
    if (fault === 'fails at unknown types' && event.type.endsWith('tomorrow')) throw new Refused(400)
    if (fault === 'fails at reversals' && event.type === 'payment.reversed') throw new Refused(500)
    if (event.data.orderId) await credit(event)
  }

  const server = createServer((request, response) => {
    const headers = request.headers as Record<string, string>
    if (request.method === 'GET') {
      const order = `${(request.url ?? '').slice(1)}-order`
      response.end(JSON.stringify({ balance: credits.get(order) ?? 0 }))
      return
    }
    if (fault === 'redirects') {
      response.writeHead(302, { location: '/' }).end()
      return
    }
    const id = headers['webhook-id'] ?? ''
    if (fault === 'remembers before it has the body') {
      if (seen.has(id)) {
        response.writeHead(204).end()
        return
      }
      seen.add(id)
    }
    const read = async (): Promise<Buffer> => Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    read()
      .then((body) => {
        if (fault === 'remembers before it has the body') seen.delete(id)
        return handle(body, headers)
      })
      .then(
        () => response.writeHead(204).end(),
        (error: unknown) => response.writeHead(error instanceof Refused ? error.status : 500).end(),
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Graded = {
  readonly passed: boolean
  readonly checks: readonly {
    readonly name: string
    readonly passed: boolean
    readonly page: string
    readonly steps: readonly { sent: string; expected: string; happened: string; passed: boolean }[]
  }[]
}

/** Runs something while time passes at the service. */
const whileTimePasses = async <T>(running: Promise<T>): Promise<T> => {
  let isOver = false
  const ended = running.finally(() => (isOver = true))
  while (!isOver) {
    opened().clock.now += 200
    await opened().runJobs()
    await sleep(20)
  }
  return ended
}

const start = (shop: Shop, words: readonly string[]) =>
  runPayin(['check-integration', ...words], {
    environment: { PAYIN_URL: opened().url, PAYIN_TOKEN: shop.token, PAYIN_SECRET: secret },
  })

const check = (shop: Shop, words: readonly string[]) => whileTimePasses(start(shop, words))

const quick = ['--answer-within', '1s', '--ack-within', '1s']

test('a handler that is right passes every check', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox', perMethod: 60 })
  await using handler = await openHandler(shop)
  const { code, out, error } = await check(shop, [handler.url, '--balance', `${handler.url}/{user}`, '--json'])
  const { passed, checks } = JSON.parse(out) as Graded
  const failed = checks.flatMap(({ name, steps }) => steps.filter((step) => !step.passed).map((step) => [name, step]))
  assert.deepEqual(failed, [])
  assert.deepEqual([code, error, passed], [0, '', true])
  const page = readFileSync(resolve(import.meta.dirname, '../docs/integrate/check-integration.md'), 'utf8')
  const lines = [...page.slice(page.indexOf('## The checks')).matchAll(/^- ([^:]+):/gm)]
  const written = lines.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
  assert.deepEqual(written.toSorted(), checks.map(({ name }) => name).toSorted())
  // The listener that it has heard by is gone.
  assert.deepEqual((await shop.get('/endpoints')).body.endpoints, [])
})

/** Each fault, and a check that catches it: without a look into the shop's books, or with one. */
const caught: readonly (readonly [fault: Fault, check: string, withBalance?: true])[] = [
  ['believes anything', 'bad-signature'],
  ['fails at what is forged', 'bad-signature'],
  ['remembers before it verifies', 'bad-signature'],
  ['does not look at the time', 'old-timestamp'],
  ['takes the first signature only', 'two-signatures'],
  ['refuses duplicates', 'duplicates'],
  ['fails at parallel duplicates', 'parallel'],
  ['remembers before it has the body', 'retry'],
  ['never acknowledges', 'paid'],
  ['takes expired as the end', 'late'],
  ['knows paid only', 'disput-paid'],
  ['fails at older events', 'out-of-order'],
  ['fails at unknown types', 'unknown-type'],
  ['fails at reversals', 'reversed'],
  ['is slow', 'paid'],
  ['redirects', 'paid'],
  ['credits duplicates', 'duplicates', true],
  ['credits parallel duplicates', 'parallel', true],
  ['credits the amount', 'disput-paid', true],
  ['credits an order once', 'corrected', true],
  ['adds corrections', 'corrected', true],
  ['knows paid only', 'corrected'],
  ['goes back to older events', 'out-of-order', true],
]

const assertCaught = async (shop: Shop, [fault, name, withBalance]: (typeof caught)[number]): Promise<void> => {
  await using handler = await openHandler(shop, fault)
  const balance = withBalance ? ['--balance', `${handler.url}/{user}`] : []
  const { code, out, error } = await start(shop, [handler.url, '--only', name, '--json', ...quick, ...balance])
  assert.deepEqual([code, error], [1, ''], `${fault}: ${out}`)
  const [graded] = (JSON.parse(out) as Graded).checks
  assert.deepEqual([graded?.name, graded?.passed], [name, false], fault)
  assert.match(graded?.page ?? '', /\/docs\/(notifications|odd-money|versions)/)
}

test('each fault of a handler is caught, with what was sent, what was expected and what happened', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox', perMethod: 120 })
  const atOnce = 5
  for (let from = 0; from < caught.length; from += atOnce)
    await whileTimePasses(Promise.all(caught.slice(from, from + atOnce).map((each) => assertCaught(shop, each))))
})

test('what is wrong is printed with its reason, and a handler that does not answer is said to', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  await using handler = await openHandler(shop, 'refuses duplicates')
  const { code, out } = await check(shop, [handler.url, '--only', 'paid,duplicates'])
  assert.equal(code, 1)
  assert.match(
    out,
    /^passed {2}paid: [^]*\nFAILED {2}duplicates: .*\n +sent +the same again\n +expected +2xx within 5000 ms\n +happened +409 in \d+ ms\n[^]* +more +http.*\/docs\/notifications#what-you-receive\n\n1 of 2 checks passed\.\n$/,
  )
  await using forgetful = await openHandler(shop, 'never acknowledges')
  const unacknowledged = await check(shop, [forgetful.url, '--only', 'paid', ...quick])
  assert.match(
    unacknowledged.out,
    /0 of 1 checks passed\.\nNothing was acknowledged\. If your handler .* --create\.\n$/,
  )
  const closed = await openHandler(shop)
  await closed[Symbol.asyncDispose]()
  const away = await check(shop, [closed.url, '--only', 'paid'])
  assert.deepEqual(
    [away.code, away.error.startsWith(`Nothing answers at ${closed.url}. Start your handler`)],
    [3, true],
  )
  const live = await openShop(opened(), { mode: 'live' })
  const refused = await check(live, [handler.url])
  assert.deepEqual([refused.code, /is a live merchant/.test(refused.error)], [1, true])
  const unknown = await check(shop, [handler.url, '--only', 'everything'])
  assert.deepEqual([unknown.code, /"everything" is not a check: paid, /.test(unknown.error)], [2, true])
})
