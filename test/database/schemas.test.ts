// The tables may be in any schema: nothing in the code names one, and nothing leaks into another.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { bigint, boolean, query } from 'payin-database'
import { checkInvariants } from '../../src/engine/invariants/check-invariants.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { onBothEngines } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'

const root = resolve(import.meta.dirname, '..', '..')

test('no query and no migration names a schema', () => {
  const files = [...globSync('{src,scripts}/**/*.ts', { cwd: root }), ...globSync('migrations/*.sql', { cwd: root })]
  const named = files.filter((file) => {
    const sql = readFileSync(join(root, file), 'utf8')
    return /'public'::|schema public\b|\bpublic\.(?!destroy\b)[a-z_]+/.test(sql.replaceAll(/agents\.public\b/g, ''))
  })
  assert.ok(files.length > 500)
  assert.deepEqual(named, [])
})

const countElsewhere = query('test_count_payments_elsewhere', {
  row: { own: bigint, others: bigint, hasSequences: boolean },
  text: `select (select count(*) from payments) as own, (select count(*) from public.payments) as others,
    exists (select from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace) as has_sequences`,
})

onBothEngines(
  'a payment is created, paid and settled in a schema of its own, and nothing is written elsewhere',
  async (service) => {
    assert.ok(service.migrated.length > 10, 'the first start has made the schema')
    const shop = await openShop(service)
    const { body, status } = await shop.create('one')
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal((await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })).outcome, 'exact')
    assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'one' })).status, 200)
    const anna = openOperator(service, 'anna')
    const destinationId = await openDestination(service, shop.merchantId)
    const wanted = { merchantId: shop.merchantId, reference: 'june', destinationId }
    const draft = await anna.call('POST', '/settlements', wanted)
    assert.equal(draft.status, 201, JSON.stringify(draft.body))
    const one = `/settlements/${shop.merchantId}/${draft.body.id}`
    assert.equal((await anna.call('POST', `${one}/approve`)).status, 200)
    assert.equal((await anna.call('POST', `${one}/pay`, { externalReference: 'tx-1' })).status, 200)
    await service.runJobs('all')
    assert.deepEqual(
      (await checkInvariants(service.context)).filter((check) => check.broken > 0),
      [],
    )
    const [counted] = await service.context.query(countElsewhere, {})
    assert.deepEqual(counted, { own: 1n, others: 0n, hasSequences: false })
    await service.restart()
    assert.deepEqual(service.migrated, [], 'a second start finds it')
    assert.equal(await shop.status('one'), 'paid')
  },
  { PAYIN_DATABASE_SCHEMA: 'shop' },
)
