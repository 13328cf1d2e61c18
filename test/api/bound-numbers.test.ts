// The number of a bank account belongs to one tenant also where it is bound to requisites with other numbers.
import assert from 'node:assert/strict'
import { minute } from '../../src/domain/time.ts'
import { jobs } from '../../src/jobs/jobs.ts'
import { adviseOnNumbers } from '../../src/tenants/free-stale-numbers.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres, type TestService } from '../support/service.ts'
import { newNumber, openShop } from '../support/shop.ts'

const bind = (operator: Operator, number: string, requisiteIds: readonly string[]) =>
  operator.call('PUT', '/statement-accounts', { number, requisiteIds })

const openTenants = async (service: TestService) => {
  const main = await openShop(service)
  const sandbox = await openShop(service, { name: 'Sandbox', mode: 'sandbox' })
  return { main, sandbox, ofMain: openOperator(service) }
}

const openAcme = async (service: TestService) => {
  assert.equal((await openOperator(service).call('POST', '/tenants', { name: 'acme' })).status, 201)
  const context = await service.tenants.find('acme')
  assert.ok(context)
  const tenant = { ...service, context, tenant: 'acme' }
  return { acme: await openShop(tenant, { name: 'Acme' }), ofAcme: openOperator(tenant), context }
}

const [account, other] = ['40702810000000000001', '40702810000000000002']

onPostgres('a number that one tenant has or has bound is not bound or added in another', async (service) => {
  const { main, sandbox, ofMain } = await openTenants(service)
  // Before there is a directory.
  assert.equal((await bind(ofMain, `044525225/${account}`, main.requisiteIds.slice(0, 1))).status, 200)
  const { acme, ofAcme } = await openAcme(service)
  const refused = await bind(ofAcme, account, acme.requisiteIds.slice(0, 1))
  assertProblem(refused, 409, 'already_exists', ['number'])
  assert.match(refused.body.detail, /belongs to another tenant; nothing was bound/)
  assert.equal((await bind(ofAcme, other, acme.requisiteIds.slice(0, 1))).status, 200)
  assertProblem(await bind(ofMain, `044525225/${other}`, main.requisiteIds.slice(0, 1)), 409, 'already_exists')
  assert.equal((await bind(ofMain, other, sandbox.requisiteIds.slice(0, 1))).status, 200)

  const phone = newNumber('sbp')
  const wanted = { mode: 'live', method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: 'A B', number: phone }
  assert.equal((await bind(ofAcme, phone, acme.requisiteIds.slice(0, 1))).status, 200)
  assertProblem(await ofMain.call('POST', '/requisites', { requisites: [wanted] }), 409, 'already_exists')
  // Its own tenant may have both.
  assert.equal((await ofAcme.call('POST', '/requisites', { requisites: [wanted] })).status, 201)
})

onPostgres(
  'what was bound before numbers were claimed is claimed by a job, and freed when it is unbound',
  async (service) => {
    const { main, sandbox, ofMain } = await openTenants(service)
    const { acme, ofAcme, context } = await openAcme(service)
    const job = jobs.find(({ name }) => name === 'free-stale-numbers')
    const runJob = async (): Promise<void> => {
      service.clock.advance(10 * minute)
      while (((await job?.run(service.context, service.context)) ?? 0) > 0);
    }
    const forget = async (number: string): Promise<void> => {
      const key = context.vault.blindIndex('requisite', number)
      await runSql(service, `update statement_accounts set claim_index = null`)
      await runSql(service, `delete from payin_directory.entries where key = '${key}' and tenant = 'main'`)
    }
    for (const number of [account, other])
      assert.equal((await bind(ofMain, number, main.requisiteIds.slice(0, 1))).status, 200)
    await forget(account)
    await forget(other)
    assert.equal((await bind(ofAcme, other, acme.requisiteIds.slice(0, 1))).status, 200)
    await runJob()
    assertProblem(await bind(ofAcme, account, acme.requisiteIds.slice(0, 1)), 409, 'already_exists')
    const note = /^Numbers of accounts of the tenant main that acme has as well: 1\./
    assert.match((await ofMain.get('/doctor')).body.notes.join('\n'), note)
    assert.match((await adviseOnNumbers(service.context, false)).join('\n'), /that another tenant has as well: 1\./)

    for (const number of [account, other])
      assert.equal((await bind(ofMain, number, sandbox.requisiteIds.slice(0, 1))).status, 200)
    assertProblem(await bind(ofAcme, account, acme.requisiteIds.slice(0, 1)), 409, 'already_exists')
    await runJob()
    await runJob()
    assert.equal((await bind(ofAcme, account, acme.requisiteIds.slice(0, 1))).status, 200)
    assert.equal((await ofMain.get('/doctor')).body.notes, undefined)
  },
)
