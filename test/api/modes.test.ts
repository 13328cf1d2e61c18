// Real and simulated money never meet: each book, balance and report is of one mode, live by default.
import assert from 'node:assert/strict'
import { minute } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'

const { onEngines } = shareEngines()

/** What the reports of a mode say. */
const readBooks = async (service: TestService, asked = '') => {
  const operator = openOperator(service)
  const read = async (path: string) => {
    const { status, body } = await operator.get(`${path}${asked}`)
    assert.equal(status, 200, path)
    return body
  }
  const csv = async (path: string): Promise<string> => (await operator.get(`${path}.csv${asked}`)).body
  // What was posted in the last two minutes is not exported yet.
  service.clock.advance(3 * minute)
  await service.runJobs()
  return {
    trial: (await read('/ledger/trial-balance')).rows,
    trialCsv: await csv('/ledger/trial-balance'),
    balances: (await read('/ledger/balances')).balances,
    journal: (await read('/ledger/journal')).entries,
    journalCsv: await csv('/ledger/journal'),
    waiting: (await read('/overview')).waiting.filter(({ kind }: { kind: string }) => kind !== 'stale-rates'),
    settlements: (await read('/settlements')).settlements,
    settlementsCsv: await csv('/settlements'),
    overpayments: (await read('/overpayments')).overpayments,
    reconciliation: (await read('/ledger/reconciliation')).days,
  }
}

/** Simulated money of every kind: credited, overpaid, unmatched, set aside, taken out, settled. */
const fillSandbox = async (service: TestService): Promise<Shop> => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 6 })
  for (const orderId of ['paid', 'twice', 'stray', 'ignored', 'settled']) {
    assert.equal((await shop.create(orderId)).status, 201)
    service.clock.advance(1000)
  }
  for (const [orderId, simulated] of [
    ['paid', { event: 'paid' }],
    ['twice', { event: 'duplicate' }],
    ['settled', { event: 'settled' }],
    ['stray', { event: 'paid', amount: 50_000 }],
    ['ignored', { event: 'paid', amount: 50_000 }],
  ] as const) {
    await shop.simulate(orderId, simulated)
    await service.runJobs()
  }
  return shop
}

onEngines('simulated money is in no report of real money, and the other way round', async (service) => {
  const operator = openOperator(service)
  const live = await openShop(service)
  const { body } = await live.create('real')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await payIn(service, { requisiteId: body.card.id, minor: 77_77n })
  const upload = async (requisiteId: string) => {
    const date = new Date(service.clock.now).toISOString().slice(0, 10)
    const file = camtOf({ account: requisiteId.slice(-6), rows: [{ minor: 5_00n, date, reference: requisiteId }] })
    assert.equal((await uploadFile(service, file, { requisiteId })).body.state, 'ready')
  }
  await upload(live.requisiteIds[0] ?? '')
  const before = await readBooks(service)
  const statementsIn = ({ waiting }: typeof before) =>
    waiting.flatMap((each: { kind: string; count: number }) => (each.kind === 'statements' ? each.count : []))
  assert.deepEqual(statementsIn(before), [1])
  assert.deepEqual(await readBooks(service, '?mode=live'), before)
  const none = await readBooks(service, '?mode=sandbox')
  assert.deepEqual([none.trial, none.balances, none.journal, none.waiting], [[], [], [], []])

  const shop = await fillSandbox(service)
  const waiting = (await operator.get('/transfers?unmatched=true')).body.transfers.filter(
    (each: { requisiteId: string }) => shop.requisiteIds.includes(each.requisiteId),
  )
  assert.equal(waiting.length, 2)
  for (const [mode, amounts] of [
    ['live', [77.77]],
    ['sandbox', [50_000, 50_000]],
  ] as const) {
    const { transfers } = (await operator.get(`/transfers?unmatched=true&mode=${mode}`)).body
    assert.deepEqual(
      transfers.map(({ amount }: { amount: number }) => amount),
      amounts,
    )
  }
  const [{ requisiteId, id }] = waiting
  assert.equal((await operator.call('POST', `/transfers/${requisiteId}/${id}/ignore`, { reason: 'x' })).status, 200)
  const today = new Date(service.clock.now).toISOString().slice(0, 10)
  const [unused] = shop.requisiteIds.toReversed()
  const opening = { requisiteId: unused, day: today, balance: 1000, currency: 'rub' }
  await operator.call('PUT', '/ledger/opening-balances', { balances: [opening], reason: 'x' })
  await operator.call('PUT', `/requisites/${unused}/closing-balances/${today}`, { balance: 1000, currency: 'rub' })

  await upload(unused ?? '')

  assert.deepEqual(await readBooks(service), before)
  const sandbox = await readBooks(service, '?mode=sandbox')
  assert.deepEqual(statementsIn(sandbox), [1])
  const kinds = new Set(sandbox.trial.map(({ kind }: { kind: string }) => kind))
  for (const kind of ['bank', 'suspense', 'ignored', 'fees', 'overpayment', 'merchant:paid-out'])
    assert.ok(kinds.has(kind), `${kind} of ${[...kinds].join(', ')}`)
  assert.equal(sandbox.settlements.length, 1)
  assert.equal(sandbox.overpayments.length, 1)
  for (const entry of sandbox.journal)
    if (entry.merchantId !== undefined) assert.equal(entry.merchantId, shop.merchantId)
  const own = (await operator.get(`/ledger/balances?merchantId=${shop.merchantId}`)).body.balances
  assert.ok(own.length > 0)
  await assertHealthy(service)

  // What was ignored is taken back from the book that it is in.
  assert.equal((await operator.call('POST', `/transfers/${requisiteId}/${id}/unassign`, { reason: 'x' })).status, 200)
  const ignored = (await operator.get('/ledger/balances?mode=sandbox')).body.balances.find(
    ({ account }: { account: string }) => account === 'ignored',
  )
  assert.equal(Number(ignored.balance), 0)
  assert.deepEqual(await readBooks(service), before)
  await assertHealthy(service)
})

onEngines(
  'nobody pays simulated money out, refunds real money with it, or adjusts one by the other',
  async (service) => {
    const operator = openOperator(service)
    const live = await openShop(service)
    const shop = await openShop(service, { mode: 'sandbox', perMethod: 2 })
    assert.equal((await shop.create('twice')).status, 201)
    await shop.simulate('twice', { event: 'duplicate' })
    service.clock.advance(minute)
    await service.runJobs()
    const { merchantId } = shop
    const wanted = { merchantId, reference: 'real', destinationId: await openDestination(service, merchantId) }
    const refused = await operator.call('POST', '/settlements', wanted)
    assertProblem(refused, 409, 'invalid_state')
    assert.match(refused.body.detail, /^The money of Test Shop is simulated/)
    assert.ok((await shop.get('/balance')).body.available > 0)

    const { overpayments } = (await operator.get(`/overpayments?merchantId=${merchantId}`)).body
    const path = `/overpayments/${merchantId}/${overpayments[0].paymentId}/decisions`
    const refund = { reference: 'r', decision: 'refund', requisiteId: live.requisiteIds[0], reason: 'x' }
    assertProblem(await operator.call('POST', path, refund), 400, 'validation_failed', ['requisiteId'])
    assert.equal((await operator.call('POST', path, { ...refund, requisiteId: shop.requisiteIds[0] })).status, 200)

    const draft = { reference: 'a', currency: 'rub', amount: 1, reason: 'x', creditAccount: 'fees' }
    const adjust = (book: object, requisiteId: string | undefined) =>
      operator.call('POST', '/ledger/adjustments', { ...draft, ...book, debitAccount: `bank:${requisiteId}` })
    for (const [book, requisiteId] of [
      [{}, shop.requisiteIds[0]],
      [{ merchantId: live.merchantId }, shop.requisiteIds[0]],
      [{ merchantId }, live.requisiteIds[0]],
    ] as const)
      assertProblem(await adjust(book, requisiteId), 400, 'validation_failed', ['debitAccount'])
    assert.equal((await adjust({ merchantId }, shop.requisiteIds[0])).status, 200)
    assert.equal((await operator.get('/ledger/adjustments')).body.adjustments.length, 0)
    assert.equal((await operator.get('/ledger/adjustments?mode=sandbox')).body.adjustments.length, 1)
    await assertHealthy(service)
  },
)
