// What one person alone reports for days, or gives to payments, of long ago.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { openCourt } from '../support/disputes.ts'
import { setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'

const { onOne } = shareEngines({ PAYIN_LONE_REPORTS_ABOVE: '100' })

onOne('money for days and payments of long ago, when it was worth more, takes a second person', async (service) => {
  service.clock.advance(25 * hour)
  const court = await openCourt(service, { perMethod: 1 })
  await setAgreedRate(service, 'rub', 20)
  const [old, older] = [await court.create('old', { amount: 9000 }), await court.create('older', { amount: 9001 })]
  const bookedAt = new Date(service.clock.now).toISOString()
  await setAgreedRate(service, 'rub', 92.5)
  service.clock.advance(100 * day)
  await service.runJobs()
  const money = { requisiteId: old.requisiteId, amount: 9000, currency: 'rub' }
  const type = async (more: object) => {
    const transfers = [{ ...money, bookedAt: new Date(service.clock.now).toISOString(), ...more }]
    return (await court.anna.call('POST', '/transfers', { transfers })).body.transfers[0]
  }
  const waiting = await type({ bookedAt })
  assert.equal(waiting.kind, 'suspense')
  assert.match(
    waiting.reasons[0],
    /^reported by anna alone, for a day more than 30 days ago: another operator decides$/,
  )
  const key = { requisiteId: waiting.requisiteId, id: waiting.id }
  const accept = async (by: typeof court.anna) =>
    (await by.call('POST', '/transfers/decide', { transfers: [{ ...key, decision: 'accept' }] })).body.transfers[0]
  assert.equal((await accept(court.anna)).code, 'second_person_required')
  assert.equal((await accept(court.boris)).state, 'done')
  assert.equal(await court.shop.status('old'), 'paid')

  service.clock.advance(25 * hour)
  const typed = await type({ amount: 9001 })
  const assign = (by: typeof court.anna) => {
    const shares = [{ merchantId: older.merchantId, paymentId: older.id }]
    return by.call('POST', `/transfers/${typed.requisiteId}/${typed.id}/assign`, { shares })
  }
  assertProblem(await assign(court.anna), 403, 'second_person_required')
  assert.equal((await assign(court.boris)).status, 200)
  await assertHealthy(service)
})
