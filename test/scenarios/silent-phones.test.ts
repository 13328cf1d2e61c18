// Requisites are paused while the phone that reports their money is silent.
import assert from 'node:assert/strict'
import { day, minute } from '../../src/rules/time.ts'
import { listSilentSources } from '../../src/engine/attention/store.ts'
import { listSilentPhones } from '../../src/engine/phones/phones.ts'
import { openOperator } from '../support/operator.ts'
import { openPhone } from '../support/phones.ts'
import { openFeed } from '../support/push.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const { onEngines } = shareEngines()

onEngines('a silent phone pauses its requisites, but never the last of a group, until it is back', async (service) => {
  const { requisiteIds } = await openShop(service, { perMethod: 2 })
  const operator = openOperator(service)
  const statusOf = async (id: string) =>
    (await operator.get('/requisites?limit=500')).body.requisites.find((each: { id: string }) => each.id === id).status
  const { requisites } = (await operator.get('/requisites?limit=500')).body
  const [first, second] = requisites.filter(
    ({ id, method }: { id: string; method: string }) => method === 'sbp' && requisiteIds.includes(id),
  )
  const all = await openPhone(service, [first.id, second.id], { silentMinutes: 30 })
  const other = await openPhone(service, [second.id], { silentMinutes: 30 })
  const pass = async (ms: number) => {
    service.clock.advance(ms)
    await service.runJobs()
    return [await statusOf(first.id), await statusOf(second.id)]
  }
  assert.deepEqual(await pass(30 * minute), ['active', 'active'])
  await other.forward({ event: 'ping' })
  assert.deepEqual(await pass(minute), ['paused', 'active'])
  // Without any other one, the second stays.
  assert.deepEqual(await pass(31 * minute), ['paused', 'active'])
  const { pauses } = (await operator.get('/requisites/pauses?open=true')).body
  const pause = pauses.find(({ requisiteId }: { requisiteId: string }) => requisiteId === first.id)
  assert.deepEqual([pause.cause, pause.run, pause.limit], ['silent', 31, 30])
  await all.forward({ event: 'ping' })
  assert.deepEqual(await pass(minute), ['active', 'active'])
  // Of two that are silent, the one that has been so for longer is paused.
  await other.forward({ event: 'ping' })
  assert.deepEqual(await pass(31 * minute), ['paused', 'active'])
  // What an operator resumes is not paused for the same silence again.
  await operator.call('PATCH', `/requisites/${first.id}`, { status: 'active' })
  assert.equal((await pass(minute))[0], 'active')
  // What an operator pauses meanwhile stays paused when the phone is back.
  await all.forward({ event: 'ping' })
  await pass(20 * minute)
  await other.forward({ event: 'ping' })
  assert.deepEqual(await pass(11 * minute), ['paused', 'active'])
  await operator.call('PATCH', `/requisites/${first.id}`, { status: 'paused' })
  await all.forward({ event: 'ping' })
  assert.deepEqual(await pass(minute), ['paused', 'active'])
})

onEngines(
  'a phone and a source that were heard while the clock was ahead are silent from its correction on',
  async (service) => {
    const { requisiteIds } = await openShop(service)
    const phone = await openPhone(service, requisiteIds, { silentMinutes: 30 })
    const feed = await openFeed(service, 'heard ahead', requisiteIds.slice(0, 1))
    const silent = async () => {
      await service.runJobs()
      const phones = await listSilentPhones(service.context, service.clock.now)
      const before = service.clock.now - 30 * minute
      const sources = await service.context.query(listSilentSources, { mode: 'live', before, limit: 100 })
      return [phones.some(({ id }) => id === phone.id), sources.some(({ id }) => id === feed.sourceId)]
    }
    service.clock.advance(day)
    await phone.forward({ event: 'ping' })
    const bookedAt = new Date(service.clock.now).toISOString()
    await feed([{ amount: 77, currency: 'rub', bookedAt, bankReference: 'AHEAD', status: 'pending' }])
    service.clock.advance(-day)
    assert.deepEqual(await silent(), [false, false])
    service.clock.advance(31 * minute)
    assert.deepEqual(await silent(), [true, true])
  },
)
