// Prices outside the band: one operator proposes them, another one sets the same.
import assert from 'node:assert/strict'
import { demoRateSource } from '../../src/rules/money/rate.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { fetchRates } from '../../src/engine/merchants/rates/sources/fetch-rates.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

/** A shop, with a rate of 92.5 a day ago and now. */
const openDay = async (service: TestService) => {
  const shop = await openShop(service)
  service.clock.advance(25 * hour)
  await setAgreedRate(service, 'rub', 92.5)
  service.clock.advance(25 * hour)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const set = (by: typeof anna, price: number, more: object = {}) => by.call('PUT', '/rates/rub', { price, ...more })
  const current = async (): Promise<number> => {
    const { rates } = (await anna.get('/rates')).body
    return rates.find((each: { currency: string }) => each.currency === 'rub').price
  }
  return { shop, anna, boris, set, current }
}

const insisted = { outsideBand: true }

onEngines('nobody moves the rate far alone: not at once, nor in steps, nor by an override', async (service) => {
  const { shop, anna, boris, set, current } = await openDay(service)
  assertProblem(await set(anna, 0.9), 409, 'rate_outside_band')
  for (let times = 0; times < 2; times++) {
    const { status, body } = await set(anna, 0.9, insisted)
    assert.deepEqual([status, body.proposed, body.usable], [200, true, false])
  }
  const { details } = await anna.lastAudit()
  assert.deepEqual([details['price'], details['proposed']], [0.9, true])
  const until = new Date(service.clock.now + hour).toISOString()
  const override = { price: 0.9, until, reason: 'a favour', outsideBand: true }
  assert.equal((await anna.call('PUT', '/rates/rub/override', override)).body.proposed, true)
  assert.deepEqual((await anna.get('/rate-overrides')).body.overrides, [])
  assert.equal((await set(anna, 75)).body.usable, true)
  assertProblem(await set(anna, 61), 409, 'rate_outside_band')
  assert.equal(await current(), 75)
  assert.equal((await shop.create('at 75')).status, 201)

  const { proposals } = (await boris.get('/rates')).body
  assert.deepEqual(proposals, [
    {
      ...{ currency: 'rub', price: 0.9, proposedBy: 'operator:anna', source: 'override', endsAt: until },
      proposedAt: new Date(service.clock.now).toISOString(),
    },
  ])
  const { waiting } = (await boris.get('/overview')).body
  const [since, dueAt] = [0, day].map((ms) => new Date(service.clock.now + ms).toISOString())
  assert.deepEqual(waiting[0], {
    ...{ kind: 'rate-proposals', count: 1, since, dueAt, amounts: [] },
  })
  // Another price is another proposal; the first one then needs its author's colleague again.
  assert.equal((await set(boris, 60, insisted)).body.proposed, true)
  assert.equal((await set(anna, 60, insisted)).body.usable, true)
  assert.equal(await current(), 60)
  assert.deepEqual((await boris.get('/rates')).body.proposals, [])
  // The day is measured from what two have agreed on.
  assert.equal((await set(anna, 66)).body.usable, true)
  assertProblem(await set(anna, 73), 409, 'rate_outside_band')
})

onEngines('an override that two have agreed on moves the rate only until its end', async (service) => {
  const { anna, boris, set, current } = await openDay(service)
  const override = (by: typeof anna, price: number, ms: number) => {
    const until = new Date(service.clock.now + ms).toISOString()
    return by.call('PUT', '/rates/rub/override', { price, until, reason: 'an hour', ...insisted })
  }
  const end = async (by: typeof anna) => (await by.call('DELETE', '/rates/rub/override')).body.proposed ?? false
  // Neither the rate nor a longer time is what the other one has agreed to.
  assert.equal((await override(boris, 46, hour)).body.proposed, true)
  assert.equal((await set(anna, 46, insisted)).body.proposed, true)
  assert.equal((await override(boris, 46, hour)).body.proposed, true)
  const endsAt = new Date(service.clock.now + hour).toISOString()
  const agreed = (await override(anna, 46, 100 * hour)).body
  assert.deepEqual([agreed.proposed, agreed.endsAt, await current()], [undefined, endsAt, 46])
  for (const price of [37, 46, 80]) assertProblem(await set(anna, price), 409, 'invalid_state')

  // Only two end it before that, or let it end before that.
  assert.equal((await override(anna, 46, minute)).body.proposed, true)
  assert.deepEqual([await end(anna), await end(anna), await current()], [true, true, 46])
  const { proposals } = (await boris.get('/rates')).body
  assert.deepEqual([proposals[0].price, proposals[0].source], [92.5, 'override-end'])
  assert.deepEqual([await end(boris), await current()], [false, 92.5])

  for (const by of [anna, boris]) await override(by, 46, hour)
  service.clock.advance(2 * hour)
  await service.runJobs()
  assert.equal(await current(), 92.5)
  for (const price of [37, 46]) assertProblem(await set(anna, price), 409, 'rate_outside_band')
  assert.equal((await set(anna, 93)).body.usable, true)
  // One within the band is set and ended by one person.
  assert.equal((await override(anna, 75, hour)).body.proposed, undefined)
  assert.deepEqual([await end(anna), await current()], [false, 93])
})

onOne('one person neither replaces an override that two have agreed on nor builds on it', async (service) => {
  const { anna, boris, current } = await openDay(service)
  const override = async (by: typeof anna, currency: string, price: number, ms: number) => {
    const until = new Date(service.clock.now + ms).toISOString()
    const wish = { price, until, reason: 'an hour', ...insisted }
    return (await by.call('PUT', `/rates/${currency}/override`, wish)).body.proposed
  }
  // 92.5 is within the band around 115, but 115 is not within that around 92.5.
  for (const by of [anna, boris]) await override(by, 'rub', 115, hour)
  assert.equal(await override(anna, 'rub', 92.5, 10 * hour), true)
  for (const by of [anna, boris]) await override(by, 'kzt', 500, hour)
  assert.equal(await current(), 115)

  service.clock.advance(2 * hour)
  await service.runJobs()
  assert.equal(await current(), 92.5)
  assert.equal((await anna.call('PUT', '/rates/kzt', { price: 510 })).body.proposed, true)
  assert.equal(await override(anna, 'kzt', 510, hour), true)
})

onOne('the end of an override that two agree on leaves the prices of the day to be measured from', async (service) => {
  const { anna, boris, set, current } = await openDay(service)
  assert.equal((await set(anna, 74)).status, 200)
  service.clock.advance(minute)
  const until = new Date(service.clock.now + hour).toISOString()
  const override = { price: 150, until, reason: 'an hour', ...insisted }
  for (const by of [anna, boris]) await by.call('PUT', '/rates/rub/override', override)
  service.clock.advance(minute)
  for (const by of [anna, boris]) await by.call('DELETE', '/rates/rub/override')
  assert.equal(await current(), 74)
  service.clock.advance(minute)
  assertProblem(await set(anna, 60), 409, 'rate_outside_band')
})

onOne('nobody alone ends or shortens the only rate of a currency', async (service) => {
  const { anna, boris } = await openDay(service)
  const override = async (by: typeof anna, until: number) => {
    const wish = { price: 500, until: new Date(until).toISOString(), reason: 'a first price', ...insisted }
    return (await by.call('PUT', '/rates/kzt/override', wish)).body.proposed ?? false
  }
  const end = async (by: typeof anna) => (await by.call('DELETE', '/rates/kzt/override')).body.proposed ?? false
  const until = service.clock.now + 2 * hour
  for (const by of [anna, boris]) await override(by, until)
  service.clock.advance(minute)
  assert.deepEqual([await override(anna, until - hour), await end(anna), await end(anna)], [true, true, true])
  const { proposals } = (await boris.get('/rates')).body
  assert.deepEqual([proposals[0].price, proposals[0].source], [500, 'override-end'])
  assert.equal(await end(boris), false)

  // The rate before it has expired, and nobody alone lets the currency end with the override that followed.
  for (const by of [anna, boris]) await by.call('PUT', '/rates/tjs', { price: 85, maxAgeMs: minute })
  const later = { price: 86, until: new Date(until).toISOString(), reason: 'an hour' }
  const shorter = { ...later, until: new Date(until - hour).toISOString() }
  const setLater = async (wish: object) => (await anna.call('PUT', '/rates/tjs/override', wish)).body.proposed ?? false
  const endLater = async () => (await anna.call('DELETE', '/rates/tjs/override')).body.proposed ?? false
  assert.equal(await setLater(later), false)
  service.clock.advance(2 * minute)
  assert.deepEqual(
    [await setLater({ ...later, price: 87 }), await setLater(shorter), await endLater()],
    [false, true, true],
  )
  // The first price would be too far off to be set.
  for (const [price, waits] of [
    [1, true],
    [85, false],
  ] as const) {
    await anna.call('POST', '/rate-sources', { currency: 'tjs', kind: 'fixed', name: `at ${price}`, price })
    assert.equal(await endLater(), waits)
  }
})

// The embedded engine takes one request after the other.
onPostgres('rates that one person sets at once are measured from each other', async (service) => {
  const { anna } = await openDay(service)
  const rate = { currency: 'amd', price: 100_00000000n, source: 'before', validUntil: null }
  await service.context.transaction((tx) => setRate(tx, rate))
  service.clock.advance(hour)
  const prices = [80, 120, 80.5, 119]
  const answers = await Promise.all(prices.map((price) => anna.call('PUT', '/rates/amd', { price })))
  const taken = prices.filter((_, index) => answers[index]?.status === 200)
  assert.ok(taken.length === 2 && Math.max(...taken) - Math.min(...taken) < 2, taken.join())
})

onOne('nobody alone sets a rate that ends sooner than the only one', async (service) => {
  const { anna, boris, set } = await openDay(service)
  const brief = { maxAgeMs: minute }
  assert.equal((await set(anna, 93, brief)).body.proposed, true)
  assert.equal((await set(boris, 93, brief)).body.usable, true)
  assert.equal((await set(anna, 93, { maxAgeMs: hour })).body.usable, true)
  await setAgreedRate(service, 'rub', 92.5)
})

onOne('an override of two hides none that one person has set on the same day', async (service) => {
  const { anna, boris, set, current } = await openDay(service)
  const override = async (by: typeof anna, price: number) => {
    const until = new Date(service.clock.now + minute).toISOString()
    const wish = { price, until, reason: 'a minute', ...insisted }
    await by.call('PUT', '/rates/rub/override', wish)
  }
  await override(anna, 111)
  service.clock.advance(2 * minute)
  for (const by of [anna, boris]) await override(by, 150)
  assert.equal(await current(), 150)
  service.clock.advance(2 * minute)
  await service.runJobs()
  // 88.8 is the lowest price within the band around 111, and 111 is not within that around 88.8.
  assert.equal((await set(anna, 88.8)).body.usable, true)
  assertProblem(await set(anna, 88.7), 409, 'rate_outside_band')
})

onOne('a proposal ends after a day; the first price of a currency is one, too', async (service) => {
  const { anna, boris, set } = await openDay(service)
  await set(anna, 50, insisted)
  service.clock.advance(24 * hour)
  assert.deepEqual((await boris.get('/rates')).body.proposals, [])
  assert.equal((await set(boris, 50, insisted)).body.proposed, true)
  for (const [by, proposed] of [
    [anna, true],
    [boris, undefined],
  ] as const)
    assert.equal((await by.call('PUT', '/rates/uzs', { price: 12_000 })).body.proposed, proposed)
})

onOne('a waiting price of a source that is far off is accepted by two', async (service) => {
  const { anna, boris, current } = await openDay(service)
  const wish = { currency: 'rub', kind: 'fixed', name: 'mine', price: 1 }
  const { id } = (await anna.call('POST', '/rate-sources', wish)).body
  await service.runJobs()
  assert.equal((await anna.call('POST', `/rate-sources/${id}/accept`, { price: 1 })).body.heldPrice, 1)
  assert.equal(await current(), 92.5)
  assert.equal((await boris.get('/rates')).body.proposals[0].sourceId, id)
  assert.equal((await boris.call('POST', `/rate-sources/${id}/accept`, { price: 1 })).body.heldPrice, undefined)
  assert.equal(await current(), 1)
})

onOne('what one has accepted from a source counts only while the source stays as it was', async (service) => {
  const { anna, boris, set, current } = await openDay(service)
  const add = async (by: typeof anna, name: string) => {
    const wish = { currency: 'rub', kind: 'fixed', name, price: 150 }
    const { id } = (await by.call('POST', '/rate-sources', wish)).body
    await service.runJobs()
    return id
  }
  const accept = async (by: typeof anna, id: string) =>
    (await by.call('POST', `/rate-sources/${id}/accept`, { price: 150 })).status
  const proposals = async () => (await anna.get('/rates')).body.proposals.length
  const id = await add(boris, 'exchange')
  const others: readonly (() => Promise<unknown>)[] = [
    () => anna.call('PATCH', `/rate-sources/${id}`, { name: 'other' }),
    () => anna.call('PATCH', `/rate-sources/${id}`, { rank: 2 }),
    () => anna.call('DELETE', `/rate-sources/${id}`),
  ]
  for (const change of others) {
    await service.runJobs()
    assert.deepEqual([await accept(boris, id), await proposals()], [200, 1])
    await change()
    assert.equal(await proposals(), 0)
  }
  assert.equal((await set(anna, 150, { ...insisted, source: 'other' })).body.proposed, true)
  assert.equal((await set(boris, 150, { ...insisted, source: 'exchange', maxAgeMs: minute })).body.proposed, true)
  assert.equal(await accept(anna, await add(anna, 'exchange')), 200)
  assert.equal(await current(), 92.5)

  const until = new Date(service.clock.now + hour).toISOString()
  await anna.call('PUT', '/rates/rub/override', { price: 93, until, reason: 'an hour' })
  const { sources } = (await anna.get('/rate-sources')).body
  assertProblem(await boris.call('POST', `/rate-sources/${sources[0].id}/accept`, { price: 150 }), 409, 'invalid_state')
})

onOne('sources that one operator adds one after another do not walk away from the agreed price', async (service) => {
  const { anna, current } = await openDay(service)
  for (const price of [75, 61, 50]) {
    const wish = {
      currency: 'rub',
      kind: 'fixed',
      name: `fixed ${price}`,
      price,
      maxStepPpm: 200_000,
      maxDayPpm: 200_000,
    }
    const { id } = (await anna.call('POST', '/rate-sources', wish)).body
    await service.runJobs()
    service.clock.advance(minute)
    await anna.call('DELETE', `/rate-sources/${id}`)
  }
  assert.equal(await current(), 75)
})

onEngines('spikes that one operator repeats each day, earlier and deeper, do not walk away', async (service) => {
  const { anna, current } = await openDay(service)
  const lowest = new Set<number>()
  for (let steps = 1; steps <= 8; steps++) {
    for (let step = 1; step <= steps; step++) {
      const until = new Date(service.clock.now + hour).toISOString()
      const wish = { price: Number((92.5 * 0.801 ** step).toFixed(6)), until, reason: 'a favour' }
      const { status } = await anna.call('PUT', '/rates/rub/override', wish)
      assert.equal(status, step === 1 ? 200 : 409)
      service.clock.advance(minute)
    }
    lowest.add(await current())
    await anna.call('DELETE', '/rates/rub/override')
    assert.equal(await current(), 92.5)
    service.clock.advance(24 * hour - (steps + 1) * minute)
  }
  assert.deepEqual([...lowest], [74.0925])
})

onOne(
  'a source takes over after an override that two have agreed on, and counts one that a person has set',
  async (service) => {
    const { anna, boris, set, current } = await openDay(service)
    const add = async (price: number) => {
      const wish = {
        currency: 'rub',
        kind: 'fixed',
        name: `at ${price}`,
        price,
        maxStepPpm: 200_000,
        maxDayPpm: 200_000,
      }
      return (await anna.call('POST', '/rate-sources', wish)).body.id
    }
    const override = async (price: number) => {
      const until = new Date(service.clock.now + hour).toISOString()
      const wish = { price, until, reason: 'a crash', outsideBand: true }
      for (const by of [anna, boris]) await by.call('PUT', '/rates/rub/override', wish)
      assert.equal(await current(), price)
      service.clock.advance(2 * hour)
    }
    const id = await add(93)
    await override(50)
    await service.runJobs()
    assert.equal(await current(), 93)
    await anna.call('DELETE', `/rate-sources/${id}`)
    service.clock.advance(25 * hour)
    await set(anna, 93)
    await override(80)
    await add(97)
    await service.runJobs()
    assert.equal(await current(), 93)
  },
)

onOne('the first price of a source waits for two, and a made-up price of the demo is none', async (service) => {
  const { anna, boris } = await openDay(service)
  await service.context.transaction((tx) =>
    setRate(tx, { currency: 'kzt', price: 1n, source: demoRateSource, validUntil: null }),
  )
  const [first, next] = ['kzt', 'kgs'] as const
  for (const currency of [first, next]) {
    const wish = { currency, kind: 'fixed', name: 'mine', price: 5 }
    const { id } = (await anna.call('POST', '/rate-sources', wish)).body
    await service.runJobs()
    const priced = async () => {
      const { rates } = (await anna.get('/rates')).body
      return rates.some((each: { currency: string; price: number }) => each.currency === currency && each.price === 5)
    }
    const accept = async (by: typeof anna) => (await by.call('POST', `/rate-sources/${id}/accept`, { price: 5 })).status
    assert.deepEqual([await accept(anna), await priced()], [200, false])
    assert.deepEqual([await accept(boris), await priced()], [200, true])
  }
})

onOne('where one person sets rates, the first price of a source is the rate immediately', async (service) => {
  const { anna } = await openDay(service)
  const wish = { currency: 'uah', kind: 'fixed', name: 'mine', price: 41 }
  await anna.call('POST', '/rate-sources', wish)
  await fetchRates(service.context, () => Promise.resolve(false))
  const { rates } = (await anna.get('/rates')).body
  assert.equal(rates.find((each: { currency: string }) => each.currency === 'uah').price, 41)
})

onOne('a rate set by hand does not take the name of another origin', async (service) => {
  const { anna, set } = await openDay(service)
  await anna.call('POST', '/rate-sources', { currency: 'rub', kind: 'fixed', name: 'exchange', price: 92.5 })
  for (const source of ['override', 'override-end', 'demo', 'exchange'])
    assertProblem(await set(anna, 92.6, { source }), 400, 'validation_failed', ['source'])
  for (const source of ['manual', 'the newspaper']) assert.equal((await set(anna, 92.6, { source })).status, 200)
})

onOne('the history of a month shows a price that stood for a minute', async (service) => {
  const { anna } = await openDay(service)
  for (const price of [40, 92.5]) {
    await setAgreedRate(service, 'rub', price)
    service.clock.advance(minute)
  }
  service.clock.advance(20 * 24 * hour)
  const { points } = (await anna.get('/rates/rub/history?within=31d')).body
  const prices: number[] = points.map(({ price }: { price: number }) => price)
  assert.ok(prices.includes(40) && prices.at(-1) === 92.5, JSON.stringify(prices))
})

onOne('what two agreed on by a clock that was ahead hides none of the rates of the day', async (service) => {
  const { anna, boris, set, current } = await openDay(service)
  const right = service.clock.now
  service.clock.now += day
  for (const by of [anna, boris]) await set(by, 60, insisted)
  service.clock.now = right
  await fetchRates(service.context, () => Promise.resolve(true))
  assert.equal(await current(), 60)
  assertProblem(await set(anna, 71), 409, 'rate_outside_band')
  // The tests after it go on from there.
  service.clock.now = right + 2 * day
})
