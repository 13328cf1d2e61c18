// Simulated money has no bound of what one person may do alone, and uses up none of real money. The bounds are 100 USDT
// within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { hour } from '../../src/rules/time.ts'
import { recordReversals } from '../../src/engine/transfers/reversals/reversals.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { openApprovedFeed } from '../support/push.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines({ PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' })

type Bank = Awaited<ReturnType<typeof openBank>>

/** Banks of the sandbox and of a live merchant, and an operator who has used up no bound. */
const open = async (service: TestService) => {
  service.clock.advance(25 * hour)
  const anna = openOperator(service, 'anna')
  const [sandbox, live] = [await openBank(service, 'sandbox'), await openBank(service)]
  /** Whether the operator does something with money of each kind alone: simulated 20,000, then real 9000 and 300. */
  const outcomes = async (act: (bank: Bank, minor: bigint) => Promise<boolean>): Promise<boolean[]> => {
    const simulated = await act(sandbox, 20_000_00n)
    return [simulated, await act(live, 9000_00n), await act(live, 300_00n)]
  }
  return { anna, outcomes }
}

const onlyReal = [true, true, false]

onEngines('simulated money is explained without a bound', async (service) => {
  const { anna, outcomes } = await open(service)
  const explain = async (bank: Bank, minor: bigint) => {
    await bank.bringAgreed(mt940Of, [{ minor: -minor, payer: 'Somebody' }])
    const path = `/outgoing/${bank.requisiteId}`
    const [{ id }] = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)).body.outgoing
    const { body } = await anna.call('POST', `${path}/${id}/book`, { purpose: 'other', reason: 'rent' })
    return body.state === 'booked'
  }
  assert.deepEqual(await outcomes(explain), onlyReal)
})

let reports = 0

onEngines('a simulated reversal is set aside without a bound', async (service) => {
  const { anna, outcomes } = await open(service)
  const setAside = async ({ requisiteId }: Bank, amount: bigint) => {
    const fields = { requisiteId, currency: 'rub', amount, bookedAt: service.clock.now, sender: null }
    const reported = { ...fields, source: 'test', bankReference: null, dedupeKey: `test:simulated-${++reports}` }
    const [recorded] = await service.context.transaction((tx) => recordReversals(tx, [reported]))
    const path = `/reversals/${requisiteId}/${recorded?.id}/ignore`
    return (await anna.call('POST', path, { reason: 'before our time' })).body.proposedBy === undefined
  }
  assert.deepEqual(await outcomes(setAside), onlyReal)
})

onEngines('a possible duplicate of simulated money is assigned without a bound', async (service) => {
  const { anna, outcomes } = await open(service)
  const assign = async ({ requisiteId, shop, push }: Bank, minor: bigint) => {
    const amount = Number(minor) / 100
    const { payment } = (await shop.create(`duplicate of ${minor}`, { amount })).body
    const other = await openApprovedFeed(service, `other feed ${++reports}`, [requisiteId])
    const bookedAt = new Date(service.clock.now).toISOString()
    await push(`one-${reports}`, { amount })
    const pushed = await other([{ requisiteId, amount, currency: 'rub', bookedAt, bankReference: `two-${reports}` }])
    const path = `/transfers/${requisiteId}/${pushed.body.transfers[0].id}`
    assert.notEqual((await anna.get(path)).body.duplicateOf, undefined)
    const shares = [{ merchantId: shop.merchantId, paymentId: payment.id }]
    const { status } = await anna.call('POST', `${path}/assign`, { shares })
    return status === 200
  }
  assert.deepEqual(await outcomes(assign), onlyReal)
})

onOne('a simulated file is imported by one person without a bound', async (service) => {
  const { outcomes } = await open(service)
  const uploader = openOperator(service)
  const confirm = async (bank: Bank, minor: bigint) => {
    const { id } = await bank.upload(mt940Of, [{ minor, reversal: true }])
    const { status } = await uploader.call('POST', `/statements/${id}/confirm`)
    await service.runJobs()
    return status === 200
  }
  assert.deepEqual(await outcomes(confirm), onlyReal)
})

onOne('a simulated file with money out is withdrawn without a bound', async (service) => {
  const { anna, outcomes } = await open(service)
  const withdraw = async (bank: Bank, minor: bigint) => {
    const { id } = await bank.bringAgreed(mt940Of, [{ minor: -minor, payer: 'Somebody' }])
    const { status, body } = await anna.call('POST', `/statements/${id}/withdraw`, { reason: 'wrong' })
    assert.equal(status, 200, JSON.stringify(body))
    await service.runJobs()
    return body.state === 'withdrawing'
  }
  assert.deepEqual(await outcomes(withdraw), onlyReal)
})

onOne('a simulated overpayment is written off without a bound', async (service) => {
  const { anna, outcomes } = await open(service)
  const writeOff = async ({ shop }: Bank, minor: bigint) => {
    const amount = Number(minor) / 100
    const { payment, card } = (await shop.create(`overpaid ${minor}`, { amount })).body
    for (let times = 0; times < 2; times++)
      await payIn(service, { requisiteId: card.id, minor, reference: `W-${++reports}` })
    const path = `/overpayments/${shop.merchantId}/${payment.id}/decisions`
    const wanted = { reference: `w-${minor}`, decision: 'write-off', reason: 'nobody asked for it' }
    return (await anna.call('POST', path, wanted)).status === 200
  }
  assert.deepEqual(await outcomes(writeOff), onlyReal)
})
