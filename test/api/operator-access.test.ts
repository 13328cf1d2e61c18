// Who may call the operator API, and what every operation of it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Role, roles } from '../../src/rules/members/access.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { operationsUnder, readRoleTables } from '../support/role-tables.ts'
import { openTestService, usualEngine } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, send } from '../support/shop.ts'

const opened = shareService()
const tokenOf = (role: Role): string => `payin_ops_test_token_of_the_${role}_0123456789abcdef`
const path = '/api/v1/operator/merchants'

test('401: refuses a request without a token', async () => {
  assertProblem(await send(opened(), path), 401, 'token_missing')
})

test('401: refuses every token but the one of the settings', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 0 })
  for (const token of [shop.token, `${service.operatorToken}x`, service.operatorToken.slice(0, -1), 'x']) {
    assertProblem(await send(service, path, { headers: { authorization: `Bearer ${token}` } }), 401, 'token_invalid')
  }
})

test('401: the operator token is no token of a merchant', async () => {
  const service = opened()
  const headers = { authorization: `Bearer ${service.operatorToken}` }
  assertProblem(await send(service, '/api/v1/merchant/payments', { headers }), 401, 'token_invalid')
})

test('403: refuses a browser', async () => {
  const service = opened()
  const headers = { authorization: `Bearer ${service.operatorToken}`, origin: 'https://console.example.com' }
  assertProblem(await send(service, path, { headers }), 403, 'browser_not_allowed')
})

test('400: refuses identifiers that the database would not read', async () => {
  const operator = openOperator(opened())
  for (const id of ['x', `urn:uuid:${unknownId}`, '%00', "'"]) {
    assertProblem(await operator.get(`/merchants/${encodeURIComponent(id)}`), 400, 'validation_failed', ['id'])
    assertProblem(await operator.get(`/payments?cursor=${encodeURIComponent(id)}`), 400, 'validation_failed', [
      'cursor',
    ])
    assertProblem(await operator.get(`/ledger/balances?merchantId=${encodeURIComponent(id)}`), 400, 'validation_failed')
  }
})

test('404: tells that what an id names does not exist', async () => {
  const operator = openOperator(opened())
  assertProblem(await operator.get(`/merchants/${unknownId}`), 404, 'resource_not_found')
  assertProblem(await operator.get(`/merchants/${unknownId}/tokens`), 404, 'resource_not_found')
  assertProblem(await operator.get(`/payments/${unknownId}/${unknownId}`), 404, 'payment_not_found')
  const changes: [method: 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown][] = [
    ['PATCH', `/merchants/${unknownId}`, { name: 'x' }],
    ['PATCH', `/merchants/${unknownId}/terms/sbp`, {}],
    ['POST', `/merchants/${unknownId}/tokens`, { name: 'x' }],
    ['POST', `/tokens/${unknownId}/rotate`],
    ['POST', `/tokens/${unknownId}/revoke`],
    ['PUT', '/limits/rub', { min: 1, max: 2, merchantId: unknownId }],
    ['PATCH', `/requisites/${unknownId}`, { status: 'paused' }],
    ['POST', '/requisites/explain', { merchantId: unknownId, method: 'sbp', currency: 'rub', amount: 1 }],
  ]
  for (const [method, at, body] of changes) {
    assertProblem(await operator.call(method, at, body), 404, 'resource_not_found')
  }
  assertProblem(await operator.call('POST', `/payments/${unknownId}/${unknownId}/cancel`), 404, 'payment_not_found')
})

test('400: refuses unknown fields with their names', async () => {
  const operator = openOperator(opened())
  const wrong: [method: 'POST' | 'PUT' | 'PATCH', path: string, body: object, fields: string[]][] = [
    ['POST', '/merchants', { name: 'x', mode: 'live', extra: 1 }, ['extra']],
    ['POST', '/merchants', { name: 'x', mode: 'live', settings: { extra: 1 } }, ['settings.extra']],
    ['PATCH', `/merchants/${unknownId}`, { mode: 'live' }, ['mode']],
    ['PATCH', `/merchants/${unknownId}/terms/sbp`, { feePercent: 1 }, ['feePercent']],
    ['POST', `/merchants/${unknownId}/tokens`, { name: 'x', token: 'x' }, ['token']],
    ['POST', `/tokens/${unknownId}/revoke`, { now: true }, ['now']],
    ['PUT', '/limits/rub', { min: 1, max: 2, minimum: 1 }, ['minimum']],
    ['PUT', '/rates/rub', { price: 1, at: 'x' }, ['at']],
    [
      'PUT',
      '/bank-issuers',
      { bankIssuers: [{ code: 'x', name: 'x', country: 'RU', bic: 'x' }] },
      ['bankIssuers.0.bic'],
    ],
    ['PATCH', `/requisites/${unknownId}`, { number: '1' }, ['number']],
  ]
  for (const [method, at, body, fields] of wrong) {
    assertProblem(await operator.call(method, at, body), 400, 'validation_failed', fields)
  }
  assertProblem(await operator.get('/merchants/x?y=1'), 400, 'validation_failed')
  assertProblem(await operator.get('/transfers?matched=true'), 400, 'validation_failed', ['matched'])
})

test('400: refuses text that nobody can read, and the database cannot keep', async () => {
  const operator = openOperator(opened())
  for (const name of ['', 'a\u0000b', 'a\nb', '\u202e', 'x'.repeat(201)]) {
    assertProblem(await operator.call('POST', '/merchants', { name, mode: 'live' }), 400, 'validation_failed', ['name'])
  }
})

test('405: tells which methods an address knows', async () => {
  assertProblem(await openOperator(opened()).call('PATCH', '/rates/rub', {}), 405, 'method_not_allowed')
})

test('no answer may be stored by a cache', async () => {
  assert.equal((await openOperator(opened()).get('/merchants')).headers.get('cache-control'), 'no-store')
})

test('every role does exactly what docs/roles.md has for it, in every operation', async () => {
  const service = await openTestService(usualEngine(), {
    PAYIN_OPERATOR_TOKENS: roles.map((role) => `${role}-1/${role}:${tokenOf(role)}`).join(),
  })
  try {
    const mayCall = readRoleTables()
    const operations = await operationsUnder(service, '/api/v1/operator')
    for (const role of roles) {
      const operator = openOperator({ ...service, operatorToken: tokenOf(role) })
      assert.deepEqual((await operator.get('/me')).body, { name: `${role}-1`, role })
      for (const { method, path: at, id } of operations) {
        const address = at.replaceAll(/\{\w+\}/g, unknownId)
        const answer = await (method === 'GET' ? operator.get(address) : operator.call(method, address, {}))
        const may = mayCall(role, id)
        assert.equal(answer.body?.code === 'role_missing', !may, `${role}: ${id} ${answer.status}`)
        if (!may) assertProblem(answer, 403, 'role_missing')
        else assert.ok(answer.status < 500, `${role}: ${id} ${answer.status}`)
      }
    }
  } finally {
    await service.stop()
  }
})

test('the OpenAPI document has every operation with the operator scheme', async () => {
  const { body } = await send(opened(), '/openapi.json')
  type Operation = { security: unknown; operationId: string; 'x-roles': unknown }
  const operations = Object.entries<Record<string, Operation>>(body.paths)
    .filter(([address]) => address.startsWith('/api/v1/operator/'))
    .flatMap(([, methods]) => Object.values(methods))
  assert.ok(operations.length >= 100, `only ${operations.length} operations`)
  for (const operation of operations) {
    assert.deepEqual(operation.security, [{ operator: [] }])
    const allowed = operation['x-roles'] as string[]
    assert.ok(allowed.includes('owner'), operation.operationId)
  }
  const everything = Object.values<Record<string, { operationId?: string }>>(body.paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => operation.operationId ?? []),
  )
  assert.equal(new Set(everything).size, everything.length)
})

test('the audit is found by who, what and when, page by page, exported, and its chain checked', async () => {
  const anna = openOperator(opened(), 'anna')
  const names = ['First', 'Second', 'Third'].map((name) => `${name} of the audit`)
  for (const name of names) assert.equal((await anna.call('POST', '/merchants', { name, mode: 'live' })).status, 201)
  const find = async (query: string) => (await anna.get(`/audit/entries?${query}`)).body
  const mine = 'actor=operator:anna&action=merchant.cre'
  const found = await find(`${mine}&limit=2`)
  const namesOf = ({ entries }: { entries: { details: { name: string } }[] }) =>
    entries.map(({ details }) => details.name)
  assert.deepEqual(namesOf(found), names.slice(1).toReversed())
  assert.equal(namesOf(await find(`${mine}&limit=2&cursor=${found.nextCursor}`))[0], names[0])
  assert.deepEqual(namesOf(await find(`${mine}&subject=${found.entries[0].subject}`)), [names[2]])
  assert.deepEqual((await find(`${mine}&from=2100-01-01T00:00:00Z`)).entries, [])
  assertProblem(await anna.get('/audit/entries?cursor=x'), 400, 'validation_failed', ['cursor'])
  const csv = (await anna.get(`/audit/entries.csv?${mine}`)).body as string
  assert.match(csv, /^sequence,at,actor,action,subject,details,credential,hash\r?\n/)
  assert.ok(csv.includes(names[0] ?? '') && csv.split('\n').length >= 4)
  assert.deepEqual((await anna.get('/audit/verify')).body, { isWhole: true, broken: [] })
})

test('an installation says how it runs, and no secret', async () => {
  const service = opened()
  const { body } = await openOperator(service).get('/installation')
  assert.equal(body.database.engine, service.engine)
  assert.ok(body.database.size > 1_000_000 && body.migrations.applied > 10 && body.service.memory > 1_000_000)
  assert.deepEqual(
    body.queues.map(({ name }: { name: string }) => name),
    ['events', 'deliveries', 'statements', 'alert messages'],
  )
  const settings = new Map(body.settings.map(({ name, value }: { name: string; value: string }) => [name, value]))
  assert.equal(settings.get('PAYIN_OPERATOR_TOKEN'), '(set)')
  assert.ok(!JSON.stringify(body).includes(service.operatorToken))
})
