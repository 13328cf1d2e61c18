import assert from 'node:assert/strict'
import pg from 'pg'
import { raiseCatalogVersion } from '../../src/database/catalog.ts'
import { minute } from '../../src/domain/time.ts'
import { measureWaiting } from '../../src/jobs/measure-waiting.ts'
import { freeStaleNumbers } from '../../src/tenants/free-stale-numbers.ts'
import { listInterrupted } from '../../src/tenants/tenants.ts'
import { openOperator } from '../support/operator.ts'
import { payinOf } from '../support/run-payin.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

onPostgres(
  'a move that was interrupted is seen once nobody works on it, with the command that is needed',
  async (service) => {
    const operator = openOperator(service)
    assert.equal((await operator.call('POST', '/tenants', { name: 'acme' })).status, 201)
    const { context } = service
    const payin = payinOf(service)
    const setState = async (state: string) => {
      await runSql(service, `update payin_directory.tenants set state = '${state}', other_server = 'b'`)
      await context.transaction((tx) => raiseCatalogVersion(tx, 'tenants'))
    }
    await setState('switching')
    const mover = new pg.Client({ connectionString: context.settings.databaseUrl })
    await mover.connect()
    try {
      await mover.query(`select pg_advisory_lock(hashtextextended('payin tenant acme', 0))`)
      assert.deepEqual(await listInterrupted(context), [])
      assert.equal((await payin(['tenants', 'list'])).out.includes('recover'), false)
    } finally {
      await mover.end()
    }
    assert.deepEqual(await listInterrupted(context), [{ name: 'acme', isRefused: true }])
    assert.match((await payin(['tenants', 'list'])).out, /payin tenants recover acme/)
    assert.match((await operator.get('/doctor')).body.notes.join(), /acme is refused: .* payin tenants recover acme/)
    const end = measureWaiting(context, { read: (work) => work(), readEveryMs: () => 0 })
    assert.match(await context.meter.render(), /^payin_tenant_interrupted\{tenant="acme"\} 1$/m)
    end()
    await setState('active')
    assert.deepEqual(await listInterrupted(context), [{ name: 'acme', isRefused: false }])
    await runSql(service, 'update payin_directory.tenants set other_server = null')
  },
)

onPostgres(
  'a number that was claimed by what then failed is freed, and one that lost its claim is claimed',
  async (service) => {
    const operator = openOperator(service)
    const { context } = service
    const shop = await openShop(service)
    assert.equal(await freeStaleNumbers(context), 0, 'there is no directory yet')
    service.clock.advance(10 * minute)
    assert.equal((await operator.call('POST', '/tenants', { name: 'acme' })).status, 201)
    const claims = async () =>
      (
        await runSql<{ key: string }>(
          service,
          `select key from payin_directory.entries where kind = 'number' and tenant = 'main' order by key`,
        )
      ).map(({ key }) => key)
    const own = await claims()
    assert.ok(own.length > 0 && shop.requisiteIds.length > 0)
    await runSql(
      service,
      `insert into payin_directory.entries values ('number', 'of nobody', 'main'), ('number', 'x', 'acme')`,
    )
    await runSql(service, `delete from payin_directory.entries where key = '${own[0]}'`)
    assert.match(
      (await operator.get('/doctor')).body.notes.join(),
      /^Numbers claimed for the tenant main that none of its accounts has: 1\./,
    )
    assert.equal(await freeStaleNumbers(context), 0, 'it may be of a transaction that is not committed yet')
    assert.deepEqual((await claims()).toSorted(), [...own, 'of nobody'].toSorted())
    assert.equal(await freeStaleNumbers(context), 0)
    service.clock.advance(10 * minute)
    assert.equal(await freeStaleNumbers(context), 1)
    assert.deepEqual(await claims(), own)
    const others = await runSql(service, `select key from payin_directory.entries where tenant = 'acme' and key = 'x'`)
    assert.equal(others.length, 1)
  },
)
