// Prices outside the band: one operator proposes them, another one sets the same.
import assert from 'node:assert/strict'
import { hour, minute } from '../../src/domain/time.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
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
    { currency: 'rub', price: 0.9, proposedBy: 'operator:anna', proposedAt: new Date(service.clock.now).toISOString() },
  ])
  // Another price is another proposal; the first one then needs its author's colleague again.
  assert.equal((await set(boris, 60, insisted)).body.proposed, true)
  assert.equal((await set(anna, 60, insisted)).body.usable, true)
  assert.equal(await current(), 60)
  assert.deepEqual((await boris.get('/rates')).body.proposals, [])
  // The day is measured from what two have agreed on.
  assert.equal((await set(anna, 66)).body.usable, true)
  assertProblem(await set(anna, 73), 409, 'rate_outside_band')
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
  assert.equal((await boris.call('POST', `/rate-sources/${id}/accept`, { price: 1 })).body.heldPrice, undefined)
  assert.equal(await current(), 1)
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
