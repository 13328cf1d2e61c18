// What one person alone says that a bank took back: it does not take the place of the bank's own report.
import assert from 'node:assert/strict'
import { hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openFeed } from '../support/push.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines({ PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' })

/** A merchant with a credit of 20,000, and an overpayment of 20,004 that another payer of the account is owed. */
const open = async (service: TestService) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const { requisiteId } = bank
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const pay = async (minor: bigint, reference: string): Promise<string> =>
    (await payIn(service, { requisiteId, minor, reference })).id
  await bank.shop.create('mine', { amount: 20_000 })
  const mine = await pay(20_000_00n, `MINE${bank.account}`)
  await bank.shop.create('theirs', { amount: 20_004 })
  await pay(20_004_00n, `FIRST${bank.account}`)
  const owed = await pay(20_004_00n, `OWED${bank.account}`)
  const available = async () => (await bank.shop.get('/balance')).body.available
  return { bank, requisiteId, anna, boris, mine, owed, available, both: await available() }
}

onOne('a file with a reversal beyond the bound of one person is confirmed by another one', async (service) => {
  const { bank, requisiteId, anna, boris, available, both } = await open(service)
  const upload = async (token: string, named: string, minor: bigint, opening = 0n) => {
    const row = { minor: -minor, reversal: true as const, date: bank.date, payer: 'Payer', reference: `BACK${minor}` }
    const content = mt940Of({ account: bank.account, opening, rows: [{ ...row, text: `chargeback ${named}` }] })
    const { status, body } = await uploadFile({ url: service.url, operatorToken: token }, content)
    assert.equal(status, 201, JSON.stringify(body))
    return `/statements/${body.id}/confirm`
  }
  const [own, hers] = [service.operatorToken, service.operatorTokens['anna'] ?? '']
  const forged = await upload(hers, `OWED${bank.account}`, 20_000_00n)
  assertProblem(await anna.call('POST', forged), 403, 'second_person_required')
  const real = await upload(own, `MINE${bank.account}`, 20_000_00n, 777n)
  assert.equal((await boris.call('POST', real)).status, 200)
  await service.runJobs()
  assert.ok((await available()) < both)
  // Below it one person may, and what it says counts.
  assert.equal((await anna.call('POST', await upload(hers, `OWED${bank.account}`, 5000_00n))).status, 200)
  await service.runJobs()
  await bank.shop.create('typed', { amount: 5000 })
  const bookedAt = new Date(service.clock.now).toISOString()
  const typed = { requisiteId, amount: 5000, currency: 'rub', bookedAt }
  const { body } = await anna.call('POST', '/transfers', { transfers: [typed] })
  assert.match(body.transfers[0].reasons[0], /^reported by anna alone/)
  await assertHealthy(service)
})

onEngines('a reversal that is signed with a key that nobody has approved waits', async (service) => {
  const { bank, requisiteId, anna, boris, mine, owed, available, both } = await open(service)
  const feed = await openFeed(service, `bank of ${requisiteId}`, [requisiteId], anna)
  const push = async (bankReference: string, amount: number) => {
    const bookedAt = new Date(service.clock.now).toISOString()
    const row = { requisiteId, currency: 'rub', amount, bookedAt, bankReference, status: 'reversed' }
    const { status, body } = await feed([row])
    assert.equal(status, 200, JSON.stringify(body))
    return body.transfers[0].state
  }
  const waiting = async () =>
    (await anna.get('/reversals?limit=100')).body.reversals.filter(
      (each: { requisiteId: string }) => each.requisiteId === requisiteId,
    )
  assert.equal(await push(`MINE${bank.account}`, 20_000), 'waiting')
  assert.equal(await push(`MINE${bank.account}`, 20_000), 'already-known')
  assert.equal(await push(`OWED${bank.account}`, 20_004), 'waiting')
  assert.equal(await push(`OWED${bank.account}`, 4), 'waiting')
  await service.runJobs()
  const [part, whole] = await waiting()
  assert.deepEqual([part.amount, whole.amount, await available()], [4, 20_004, both])
  const assign = (id: string, transferId: string) =>
    anna.call('POST', `/reversals/${requisiteId}/${id}/assign`, { transferId })
  const refused = await assign(part.id, mine)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /let another operator approve the source, and have the reversal pushed again/)

  // Named by an operator, it is what one announces: the bank's report is of the same reversal.
  assert.equal((await assign(whole.id, owed)).status, 200)
  assert.equal((await waiting()).length, 2)
  assert.equal(
    (await boris.call('POST', `/statement-sources/${feed.sourceId}/approve`, { version: feed.version })).status,
    200,
  )
  assert.equal(await push(`OWED${bank.account}`, 20_004), 'recorded')
  assert.equal(await available(), both)
  // The bank's report takes the place of the one that waits.
  assert.equal(await push(`MINE${bank.account}`, 20_000), 'recorded')
  assert.deepEqual(
    (await waiting()).map(({ id }: { id: string }) => id),
    [part.id],
  )
  assert.ok((await available()) < both)
  await service.runJobs()
  await assertHealthy(service)
})
