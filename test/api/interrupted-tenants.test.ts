import assert from 'node:assert/strict'
import pg from 'pg'
import { raiseCatalogVersion } from '../../src/database/catalog.ts'
import { measureWaiting } from '../../src/jobs/measure-waiting.ts'
import { listInterrupted } from '../../src/tenants/list-interrupted.ts'
import { openOperator } from '../support/operator.ts'
import { payinOf } from '../support/run-payin.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres } from '../support/service.ts'

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
