// Rates that are fetched: from a local server, with fallbacks, jumps, overrides and a history.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { evaluateAlerts } from '../../src/engine/alerts/evaluate-alerts.ts'
import { day, hour, minute, second } from '../../src/rules/time.ts'
import { fetchRates } from '../../src/engine/merchants/rates/sources/fetch-rates.ts'
import { openOperator, type Operator, setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

type Exchange = AsyncDisposable & { readonly url: string; body: string; status: number; readonly paths: string[] }

const openExchange = async (): Promise<Exchange> => {
  const server = createServer((request, response) => {
    exchange.paths.push(request.url ?? '')
    response.writeHead(exchange.status, { 'content-type': 'application/json', location: '/moved' }).end(exchange.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const exchange: Exchange = {
    url: `http://127.0.0.1:${address.port}/usdt-rub`,
    body: '{"data":[{"price":92.50000001}]}',
    status: 200,
    paths: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return exchange
}

const rateOf = async (operator: Operator) => {
  const { rates } = (await operator.get('/rates')).body
  const { price, source, usable } = rates.find(({ currency }: { currency: string }) => currency === 'rub') ?? {}
  return [price, source, usable]
}

const environment = { PAYIN_OUTBOUND_LOOPBACK: 'on' }

const addSource = async (operator: Operator, fields: object) => {
  const { status, body } = await operator.call('POST', '/rate-sources', { currency: 'rub', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const pass = async ({ context, clock }: TestService, ms: number): Promise<void> => {
  clock.advance(ms)
  const holdsFirst = () => Promise.resolve(true)
  await Promise.all([1, 2, 3].map(() => fetchRates(context, holdsFirst)))
}

onBothEngines(
  'a source sets the rate in its exact digits, once per interval; a jump waits for the operator, with an alert',
  async (service) => {
    await using exchange = await openExchange()
    const operator = openOperator(service)
    await openShop(service)
    const json = { kind: 'json', name: 'exchange', url: exchange.url, pointer: '/data/0/price', spreadPpm: 10_000 }
    const { id } = await addSource(operator, json)
    await pass(service, second)
    assert.deepEqual(await rateOf(operator), [93.42500001, 'exchange', true])
    assert.equal(exchange.paths.length, 1)
    await pass(service, 58 * second)
    assert.equal(exchange.paths.length, 1)
    exchange.body = '{"data":[{"price":"93.00000000"}]}'
    await pass(service, 2 * second)
    assert.equal(exchange.paths.length, 2)
    assert.deepEqual(await rateOf(operator), [93.93, 'exchange', true])

    exchange.body = '{"data":[{"price":99.5}]}'
    await pass(service, minute)
    const sourceOf = async () => (await operator.get('/rate-sources')).body.sources[0]
    assert.equal((await sourceOf()).heldPrice, 100.495)
    assert.deepEqual(await rateOf(operator), [93.93, 'exchange', true])
    service.clock.advance(minute)
    await evaluateAlerts(service.context, 'quick')
    const open = async () => (await operator.get('/alerts?open=true&rule=rate-source')).body.incidents
    assert.match((await open())[0].summary, /^The source exchange reports 100\.495 rub, the last rate is 93\.93: /)
    const other = await operator.call('POST', `/rate-sources/${id}/accept`, { price: 100 })
    assert.equal(other.body.code, 'invalid_state')
    const accepted = await operator.call('POST', `/rate-sources/${id}/accept`, { price: 100.495 })
    assert.equal(accepted.body.price, 100.495)
    assert.deepEqual(await rateOf(operator), [100.495, 'exchange', true])
    service.clock.advance(minute)
    await evaluateAlerts(service.context, 'quick')
    assert.deepEqual(await open(), [])

    exchange.body = '{"data":[{"price":50}]}'
    await pass(service, minute)
    const refused = await operator.call('POST', `/rate-sources/${id}/refuse`, { price: 50.5 })
    assert.equal(refused.body.heldPrice, undefined)
    const { fetches } = (await operator.get(`/rate-sources/${id}/fetches`)).body
    assert.deepEqual(
      fetches.map((each: { outcome: string; price?: number; decidedBy?: string }) => [each.outcome, each.price]),
      [
        ['refused', 50.5],
        ['held', 50.5],
        ['accepted', 100.495],
        ['held', 100.495],
        ['accepted', 93.93],
        ['accepted', 93.42500001],
      ],
    )
    assert.equal(fetches[0].decidedBy, 'operator:operator')
    await operator.call('DELETE', `/rate-sources/${id}`)
    const twin = { currency: 'rub', kind: 'fixed', name: 'twin', price: 93 }
    const added = await Promise.all([1, 2, 3, 4].map(() => operator.call('POST', '/rate-sources', twin)))
    assert.deepEqual(
      added.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409, 409],
    )
  },
  environment,
)

onOneEngine(
  'a source that moves by small steps is held after the move of a day, until an operator accepts it',
  async (service) => {
    await using exchange = await openExchange()
    const operator = openOperator(service)
    await openShop(service)
    assert.equal((await operator.call('PUT', '/rates/rub', { price: 100 })).status, 200)
    service.clock.advance(second)
    const { id, maxDayPpm } = await addSource(operator, {
      ...{ kind: 'json', name: 'exchange', url: exchange.url, pointer: '/price' },
    })
    assert.equal(maxDayPpm, 100_000)
    const says = async (price: number): Promise<unknown> => {
      exchange.body = JSON.stringify({ price })
      await pass(service, minute)
      return (await rateOf(operator))[0]
    }
    const heldPrice = async () => (await operator.get('/rate-sources')).body.sources[0].heldPrice
    for (const price of [102, 104, 106, 108, 110]) assert.equal(await says(price), price)
    assert.equal(await says(112), 110)
    assert.equal(await heldPrice(), 112)
    await evaluateAlerts(service.context, 'quick')
    const { incidents } = (await operator.get('/alerts?open=true&rule=rate-source')).body
    assert.match(incidents[0].summary, /reports 112 rub, the last rate is 110, but it has moved too far within a day: /)
    assert.equal(await says(109.5), 109.5)
    // A day later it may move on from where it was.
    service.clock.advance(24 * hour - minute)
    assert.equal(await says(112), 112)
    // What an operator accepts is where the day begins.
    for (const price of [115, 118, 120]) assert.equal(await says(price), price)
    assert.equal(await says(122), 120)
    assert.equal((await operator.call('POST', `/rate-sources/${id}/accept`, { price: 122 })).status, 200)
    assert.equal(await says(125), 125)
    assert.equal((await operator.call('PATCH', `/rate-sources/${id}`, { maxDayPpm: 30_000 })).body.maxDayPpm, 30_000)
    assert.equal(await says(126), 125)
    assert.equal((await operator.call('PUT', '/rates/rub', { price: 126 })).status, 200)
    assert.equal(await says(127), 127)
  },
  environment,
)

onBothEngines(
  'what fails or gets old falls back to the next source, and an override is above all of them',
  async (service) => {
    await using exchange = await openExchange()
    const operator = openOperator(service)
    await openShop(service)
    const json = { kind: 'json', name: 'exchange', url: exchange.url, pointer: '/data/0/price', maxAgeMs: 5 * minute }
    const { id } = await addSource(operator, json)
    const fixed = { kind: 'fixed', name: 'last resort', price: 93.00000001, rank: 2 }
    const { id: fixedId } = await addSource(operator, fixed)
    const nothing = { price: 0.00000001, spreadPpm: -1 }
    const tiny = { currency: 'rub', kind: 'fixed', name: 'tiny', ...nothing }
    assertProblem(await operator.call('POST', '/rate-sources', tiny), 400, 'validation_failed')
    assertProblem(await operator.call('PATCH', `/rate-sources/${fixedId}`, nothing), 400, 'validation_failed')
    await pass(service, second)
    assert.deepEqual(await rateOf(operator), [92.50000001, 'exchange', true])

    const broken: readonly (readonly [status: number, body: string, error: RegExp])[] = [
      [503, '{}', /^HTTP 503$/],
      [302, '{}', /^HTTP 302$/],
      [200, '<html>', /^there is no number at \/data\/0\/price$/],
      [200, `{"data":[{"price":"${'9'.repeat(130 * 1024)}"}]}`, /^too_large$/],
    ]
    for (const [status, body, error] of broken) {
      Object.assign(exchange, { status, body })
      await pass(service, minute)
      assert.match((await operator.get('/rate-sources')).body.sources[0].lastError, error)
      assert.deepEqual(await rateOf(operator), [92.50000001, 'exchange', true])
    }
    await pass(service, 2 * minute)
    assert.deepEqual(await rateOf(operator), [93.00000001, 'last resort', true])

    const until = new Date(service.clock.now + hour).toISOString()
    const wish = { price: 95, until, reason: 'the exchange is closed' }
    assert.equal((await operator.call('PUT', '/rates/rub/override', wish)).status, 200)
    Object.assign(exchange, { status: 200, body: '{"data":[{"price":92.6}]}' })
    await pass(service, minute)
    assert.deepEqual(await rateOf(operator), [95, 'override', true])
    assert.equal((await operator.get('/rate-overrides')).body.overrides[0].reason, wish.reason)
    await pass(service, hour)
    assert.deepEqual(await rateOf(operator), [92.6, 'exchange', true])
    assert.deepEqual((await operator.get('/rate-overrides')).body.overrides, [])
    await operator.call('PUT', '/rates/rub/override', {
      ...wish,
      until: new Date(service.clock.now + hour).toISOString(),
    })
    assert.deepEqual((await operator.call('DELETE', '/rates/rub/override')).body, { currency: 'rub' })
    assert.deepEqual(await rateOf(operator), [92.6, 'exchange', true])
    assert.equal((await operator.call('DELETE', '/rates/rub/override')).status, 404)

    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ kind: 'json', name: 'x', url: exchange.url, pointer: 'price' }, /pointer/],
      [{ kind: 'json', name: 'x', url: 'https://192.168.0.1/', pointer: '' }, /public internet/],
      [{ kind: 'json', name: 'x', pointer: '' }, /url is required/],
      [{ kind: 'fixed', name: 'x' }, /price is required/],
      [{ kind: 'fixed', name: 'override', price: 1 }, /name must not be/],
      [{ kind: 'fixed', name: 'exchange', price: 1 }, /already/],
    ]
    for (const [fields, message] of wrong) {
      const { body } = await operator.call('POST', '/rate-sources', { currency: 'rub', ...fields })
      assert.match(JSON.stringify(body), message)
    }
    const moved = await operator.call('PATCH', `/rate-sources/${id}`, { enabled: false })
    assert.equal(moved.body.enabled, false)
    await pass(service, minute)
    assert.deepEqual(await rateOf(operator), [93.00000001, 'last resort', true])
  },
  environment,
)

onOneEngine(
  'without sources, an override that ends by hand or by its time gives way to the rate before it',
  async (service) => {
    const operator = openOperator(service)
    const shop = await openShop(service)
    const override = async (price: number, more: object = {}): Promise<void> => {
      const until = new Date(service.clock.now + hour).toISOString()
      const wish = { price, until, reason: 'the exchange is closed', ...more }
      for (const one of [openOperator(service, 'boris'), operator])
        assert.equal((await one.call('PUT', '/rates/rub/override', wish)).status, 200)
    }
    const created = async (orderId: string): Promise<number> => (await shop.create(orderId)).status
    assert.equal((await operator.call('PUT', '/rates/rub', { price: 92.5 })).status, 200)
    await override(95)
    assert.deepEqual(await rateOf(operator), [95, 'override', true])
    assert.equal((await operator.call('DELETE', '/rates/rub/override')).status, 200)
    assert.deepEqual(await rateOf(operator), [92.5, 'manual', true])

    await override(0.9, { outsideBand: true })
    await pass(service, minute)
    await evaluateAlerts(service.context, 'quick')
    const { incidents } = (await operator.get('/alerts?open=true&rule=rate-stale')).body
    assert.match(
      incidents[0]?.summary,
      /^The rate of rub, 0\.9 from override, is more than 20 % off that of a day before, 92\.5\.$/,
    )
    assert.equal(await created('meanwhile'), 201)
    await pass(service, hour)
    assert.deepEqual(await rateOf(operator), [92.5, 'manual', true])
    assert.equal(await created('after'), 201)
    await pass(service, minute)
    await evaluateAlerts(service.context, 'quick')
    assert.deepEqual((await operator.get('/alerts?open=true&rule=rate-stale')).body.incidents, [])
  },
)

onOneEngine('an override that ends without any other rate leaves none: its price never stays', async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service)
  // The rate of the shop ends first.
  for (const by of [operator, openOperator(service, 'boris')])
    assert.equal((await by.call('PUT', '/rates/rub', { price: 92.5, maxAgeMs: minute })).status, 200)
  const until = new Date(service.clock.now + hour).toISOString()
  const wish = { price: 95, until, reason: 'the exchange is closed' }
  assert.equal((await operator.call('PUT', '/rates/rub/override', wish)).status, 200)
  await pass(service, 2 * minute)
  // Nothing returns, so it takes two.
  for (const by of [openOperator(service, 'boris'), operator])
    assert.equal((await by.call('DELETE', '/rates/rub/override')).status, 200)
  const [, , usable] = await rateOf(operator)
  assert.equal(usable, false)
  assertProblem(await shop.create('without'), 503, 'rate_unavailable')
  assert.equal((await operator.call('PUT', '/rates/rub', { price: 93 })).status, 200)
  assert.equal((await shop.create('with')).status, 201)
})

/** Runs the job by a clock that is ahead by a day for ten minutes, and then is right again. */
const runAhead = async (service: TestService, meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
  const { clock } = service
  const right = clock.now
  clock.now = right + day
  await meanwhile()
  for (let times = 0; times < 10; times++) await pass(service, minute)
  clock.now = right + 10 * minute
}

onOneEngine(
  'a source that was asked by a clock that was ahead is asked again, and its price ends by the right one',
  async (service) => {
    await using exchange = await openExchange()
    const operator = openOperator(service)
    const shop = await openShop(service)
    await setAgreedRate(service, 'rub', 92.5)
    await addSource(operator, { kind: 'json', name: 'exchange', url: exchange.url, pointer: '/data/0/price' })
    await runAhead(service)
    assertProblem(await shop.create('before'), 503, 'rate_unavailable')
    exchange.status = 503
    await pass(service, second)
    assertProblem(await shop.create('failing'), 503, 'rate_unavailable')
    Object.assign(exchange, { status: 200, body: '{"data":[{"price":93}]}' })
    await pass(service, minute)
    assert.deepEqual(await rateOf(operator), [93, 'exchange', true])
    // The time comes to which the wrong clock has dated rates.
    for (const ms of [day - 15 * minute, 5 * minute, 5 * minute, 5 * minute]) {
      await pass(service, ms)
      assert.deepEqual(await rateOf(operator), [93, 'exchange', true])
    }
  },
  environment,
)

onOneEngine(
  'rates that people set by a clock that was ahead are dated again, and an override in force that has ended by it returns',
  async (service) => {
    const [operator, other] = [openOperator(service), openOperator(service, 'boris')]
    const shop = await openShop(service)
    const price = async () => (await rateOf(operator))[0]
    await setAgreedRate(service, 'rub', 92.5)
    await runAhead(service, () => operator.call('PUT', '/rates/rub', { price: 93 }))
    await pass(service, second)
    assert.deepEqual(await rateOf(operator), [93, 'manual', true])
    assert.equal((await operator.call('PUT', '/rates/rub', { price: 94 })).status, 200)
    assert.equal((await shop.create('now')).status, 201)

    const until = new Date(service.clock.now + 12 * hour).toISOString()
    const wish = { price: 130, until, reason: 'the exchange is closed', outsideBand: true }
    for (const by of [other, operator]) await by.call('PUT', '/rates/rub/override', wish)
    await runAhead(service)
    await pass(service, second)
    assert.equal((await operator.get('/rate-overrides')).body.overrides.length, 1)
    assert.deepEqual(await rateOf(operator), [130, 'override', true])
    await pass(service, 12 * hour)
    assert.equal(await price(), 94)
    await pass(service, 12 * hour)
    assert.equal(await price(), 94)
  },
)
