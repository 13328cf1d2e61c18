// The withdrawal of large imports, set by set, over HTTP.
import assert from 'node:assert/strict'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { confirmStatement } from '../../src/engine/statements/confirm-or-discard.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { ignoreTransfer } from '../../src/engine/transfers/decisions/decide-transfer.ts'
import { openOperator } from '../support/operator.ts'
import { openFeed } from '../support/push.ts'
import { assertProblem } from '../support/problem.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()
/** Rows that are withdrawn in three sets. */
const many = 2500

/** A shop, and an account with an imported statement of `rows` strangers' transfers; `bring` imports further ones. */
const openImported = async (service: TestService, account: string, rows = 20) => {
  const shop = await openShop(service, { perMethod: 1 })
  const { body: waiting } = await shop.create('waits', { amount: 99_999 })
  await shop.create('waits, too', { amount: 99_998 })
  const requisiteId: string = waiting.card.id
  const operator = openOperator(service)
  await operator.call('PUT', '/statement-accounts', { accounts: [{ number: account, requisiteIds: [requisiteId] }] })
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const upload = async (minors: readonly number[]): Promise<string> => {
    const made = minors.map((minor) => ({ minor: BigInt(minor), date, reference: `BANKREF-R${minor}` }))
    const { status, body } = await uploadFile(service, mt940Of({ account, rows: made }))
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const minors = Array.from({ length: rows }, (_, index) => 100 + index)
  const id = await upload(minors)
  // What one person alone reports would give way to a feed.
  await openOperator(service, 'boris').call('POST', `/statements/${id}/confirm`)
  await service.runJobs()
  const first = async () => {
    const { rows: found } = (await operator.get(`/statements/${id}/rows?limit=1`)).body
    return { requisiteId, id: String(found[0].transferId) }
  }
  const balance = async (): Promise<number> => {
    const { balances } = (await operator.get('/ledger/balances')).body
    return Number(balances.find((each: { account: string }) => each.account === `bank:${requisiteId}`)?.balance ?? 0)
  }
  const read = async (which = id) => (await operator.get(`/statements/${which}`)).body
  const withdraw = () => operator.call('POST', `/statements/${id}/withdraw`, { reason: 'wrong account' })
  const feed = await openFeed(service, `feed ${account}`, [requisiteId])
  const report = (minor: number, bankReference: string) => ({
    ...{ requisiteId, amount: minor / 100, currency: 'rub', bankReference },
    bookedAt: new Date(service.clock.now).toISOString(),
  })
  const push = (minor: number, reference = `BANKREF-R${minor}`) => feed([report(minor, reference)])
  const post = (minor: number, reference = `BANKREF-R${minor}`) =>
    operator.call('POST', '/transfers', { transfers: [report(minor, reference)] })
  return { operator, upload, minors, id, key: await first(), balance, read, withdraw, push, post }
}

const total = (minors: readonly number[]): number => minors.reduce((sum, minor) => sum + minor, 0) / 100

onEngines('a large import is withdrawn in sets; decisions are refused and imports wait meanwhile', async (service) => {
  const account = '40702810900000000031'
  const { operator, upload, minors, key, balance, read, withdraw } = await openImported(service, account, many)
  assert.equal(await balance(), total(minors))
  const overlapping = await upload([100, 101, 5_000])
  assert.equal((await withdraw()).body.state, 'withdrawing')
  assert.equal((await withdraw()).body.state, 'withdrawing')
  const ignore = () => operator.call('POST', `/transfers/${key.requisiteId}/${key.id}/ignore`, { reason: 'x' })
  assertProblem(await ignore(), 409, 'invalid_state')
  assert.equal((await operator.call('POST', `/statements/${overlapping}/confirm`)).body.state, 'importing')

  // Each round takes a set: three are looked at, three are taken back, and the last round ends it.
  const moved: [number, string][] = []
  for (let round = 1; round <= 7; round++) {
    const done = await runImports(service.context)
    assert.ok(done <= 1000, `${done} rows at once`)
    const { progress, state, outcomes } = await read()
    if (state === 'withdrawing') assert.deepEqual(outcomes, [])
    moved.push([progress, state])
    if (state !== 'withdrawing') break
    assertProblem(await ignore(), 409, 'invalid_state')
    assert.equal((await read(overlapping)).progress, 0)
    if (progress === many) assert.equal(await balance(), 0)
  }
  assert.deepEqual(
    moved.map(([progress]) => progress),
    [0, 0, 0, 1000, 2000, 2500, 2500],
  )
  assert.deepEqual(moved.at(-1)?.[1], 'withdrawn')
  await service.runJobs()
  assert.equal((await read(overlapping)).state, 'imported')
  assert.equal(await balance(), total([100, 101, 5_000]))
})

onPostgres('what is decided at the last moment keeps the whole import', async (service) => {
  const { upload, minors, key, balance, read, withdraw, operator } = await openImported(service, '40702810900000000032')
  const decided = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const deciding = service.context.transaction(async (tx) => {
    await ignoreTransfer(tx, key, { actor: 'operator:anna', note: 'ours' })
    decided.resolve()
    await commit.promise
  })
  await decided.promise
  assert.equal((await withdraw()).body.state, 'withdrawing')
  // It waits for nobody who is just deciding.
  assert.equal(await runImports(service.context), 0)
  commit.resolve()
  await deciding
  await service.runJobs()
  const kept = await read()
  assert.equal(kept.state, 'imported')
  assert.equal(kept.withdrawnBy, undefined)
  assert.match(
    kept.withdrawalFailure,
    /^Transfers of the statement were credited or decided about \(at least 1\): return them to the inbox first/,
  )
  assert.equal(await balance(), total(minors))
  assertProblem(await withdraw(), 409, 'invalid_state')
  const later = await upload([7_000])
  await operator.call('POST', `/statements/${later}/confirm`)
  await service.runJobs()
  assert.equal((await read(later)).state, 'imported')
})

onPostgres(
  'a statement that is confirmed while another one is about to be withdrawn loses nothing',
  async (service) => {
    const { upload, read, withdraw, balance } = await openImported(service, '40702810900000000033')
    const overlapping = await upload([100, 6_000])
    const confirmed = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const confirming = service.context.transaction(async (tx) => {
      await confirmStatement(tx, overlapping, 'operator:anna', { judge: async () => null, isToken: async () => false })
      confirmed.resolve()
      await commit.promise
    })
    await confirmed.promise
    assert.equal((await withdraw()).body.state, 'withdrawing')
    commit.resolve()
    await confirming
    await service.runJobs()
    assert.equal((await read()).state, 'withdrawn')
    assert.equal((await read(overlapping)).state, 'imported')
    assert.equal(await balance(), total([100, 6_000]))
  },
)

onEngines(
  'an import is not withdrawn when a feed or an operator has reported a transfer of it, too',
  async (service) => {
    for (const [index, way] of (['push', 'post'] as const).entries()) {
      const bank = await openImported(service, `4070281090000000004${index}`)
      assert.equal((await bank[way](100)).status, 200)
      const refused = await bank.withdraw()
      assertProblem(refused, 409, 'invalid_state')
      assert.match(refused.body.detail, /was also reported by (feed:|operator)/)
      assert.equal(await bank.balance(), total(bank.minors))
    }
  },
)

onOne('what is reported again while its statement is withdrawn is sent again, and then counts', async (service) => {
  const bank = await openImported(service, '40702810900000000051', many)
  assert.equal((await bank.withdraw()).body.state, 'withdrawing')
  for (let round = 1; round <= 5; round++) {
    // The last transfer is the last one that is taken back.
    for (const answer of [await bank.push(100 + many - 1), await bank.post(100 + many - 1)]) {
      assertProblem(answer, 503, 'overloaded')
      assert.equal(answer.headers.get('retry-after'), '5')
    }
    await runImports(service.context)
  }
  await service.runJobs()
  assert.equal((await bank.read()).state, 'withdrawn')
  assert.equal((await bank.push(100 + many - 1)).body.transfers[0].state, 'recorded')
  assert.equal(await bank.balance(), total([100 + many - 1]))
})

onPostgres('what is reported again just before its statement is withdrawn keeps the import', async (service) => {
  const bank = await openImported(service, '40702810900000000052')
  const { requisiteId } = bank.key
  const recorded = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const reporting = service.context.transaction(async (tx) => {
    const reported = { requisiteId, currency: 'rub', amount: 100n, bookedAt: service.clock.now, sender: null }
    await recordTransfers(tx, [{ ...reported, source: 'feed:x', channel: 'feed:x', bankReference: 'BANKREF-R100' }])
    recorded.resolve()
    await commit.promise
  })
  await recorded.promise
  assert.equal((await bank.withdraw()).body.state, 'withdrawing')
  assert.equal(await runImports(service.context), 0)
  commit.resolve()
  await reporting
  await service.runJobs()
  const { state, withdrawalFailure } = await bank.read()
  assert.equal(state, 'imported')
  assert.match(withdrawalFailure, /was also reported by feed:x/)
  assert.equal(await bank.balance(), total(bank.minors))
})

onOne(
  'what another channel reports while a statement is withdrawn is compared with it, in case it stays',
  async (service) => {
    const bank = await openImported(service, '40702810900000000053')
    assert.equal((await bank.withdraw()).body.state, 'withdrawing')
    const pushed = await bank.push(100, 'P1')
    assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
    await service.runJobs()
    assert.equal((await bank.read()).state, 'imported')
    const { id } = pushed.body.transfers[0]
    const { outcome, duplicateOf } = (await bank.operator.get(`/transfers/${bank.key.requisiteId}/${id}`)).body
    assert.deepEqual([outcome, duplicateOf], ['ambiguous', bank.key.id])
  },
)
