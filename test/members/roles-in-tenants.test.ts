// Who may do what in which tenant: accounts of the console with roles of their own in each, and tokens that are limited.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role } from '../../src/domain/role.ts'
import { enrolMember, type Enrolled, visit } from '../support/console.ts'
import { openOperator, unknownId, type Operator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { type Operation, operationsUnder } from '../support/role-tables.ts'
import { runPayin } from '../support/run-payin.ts'
import { shareService } from '../support/shared-service.ts'
import type { TestService } from '../support/service.ts'
import { openShop, payIn, send, type Answer } from '../support/shop.ts'

const cara = 'payin_ops_test_token_of_cara_0123456789abcdef'
const opened = shareService({
  environment: { PAYIN_TRUST_PROXY: '127.0.0.1', PAYIN_OPERATOR_TOKENS: `cara/owner@acme+gone:${cara}` },
})

/** The service as one of its tenants sees it. */
const inTenant = async (tenant: string): Promise<TestService & { readonly tenant: string }> => {
  const context = await opened().tenants.find(tenant)
  assert.ok(context, `no tenant ${tenant}`)
  return { ...opened(), context, tenant }
}

const operatorOf = async (tenant: string): Promise<Operator> => openOperator(await inTenant(tenant))

const enrolIn = async (tenant: string, role: Role): Promise<Enrolled> => enrolMember(await inTenant(tenant), { role })

const membersOf = async (
  operator: Pick<Operator, 'get'>,
): Promise<{ name: string; role?: string; elsewhere?: object }[]> => (await operator.get('/members')).body.members

/** Does something for each operation of operators, several at once. */
const forEachOperation = async (act: (operation: Operation, index: number) => Promise<void>): Promise<void> => {
  const rest = [...(await operationsUnder(opened(), '/api/v1/operator')).entries()]
  const lane = async (): Promise<void> => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) await act(next[1], next[0])
  }
  await Promise.all(Array.from({ length: 6 }, lane))
}

/** A refusal without what differs from request to request. */
const shownOf = ({ status, body }: Answer, ...names: string[]) => {
  const { requestId: _, ...rest } = body
  return JSON.stringify({ status, ...rest }).replaceAll(new RegExp(names.join('|') || '^$', 'g'), '…')
}

before(async () => {
  for (const name of ['acme', 'beta']) {
    const made = await openOperator(opened()).call('POST', '/tenants', { name })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
})

test('an account of one tenant does what its role allows there, and reaches no operation of another one', async () => {
  const service = opened()
  const [anna, boss] = [await enrolIn('acme', 'support'), await enrolIn('acme', 'owner')]
  assert.deepEqual((await anna.operateIn('acme', '/me')).body, { name: anna.name, role: 'support' })
  assertProblem(await anna.operateIn('acme', '/members/x', { role: 'owner' }, 'PATCH'), 403, 'role_missing')
  assert.deepEqual((await anna.operate('/tenants')).body.tenants, [
    { name: 'acme', merchants: 0, server: 'main', state: 'active', role: 'support' },
  ])
  const exported = await anna.operate('/tenants.csv')
  assert.match(String(exported.body), /^name,[^\n]*\r\nacme,[^\n]*\r\n$/, 'only the tenant of the account')

  const auditor = await enrolMember(service, { role: 'auditor' })
  const nowhere = shownOf(await auditor.operateIn('nobody', '/me'))
  await forEachOperation(async ({ method, path, id }, index) => {
    if (id === 'listTenants' || id === 'exportTenants') return
    const address = path.replaceAll(/\{\w+\}/g, unknownId)
    const body = method === 'GET' ? undefined : {}
    const tries = [
      () => boss.operate(address, body, method),
      () => boss.operateIn('main', address, body, method),
      () => boss.operateIn('beta', address, body, method),
      () => auditor.operateIn('acme', address, body, method),
    ]
    // The check is one for all operations: each is tried in one of the ways.
    const answer = await tries[index % tries.length]?.()
    assert.deepEqual([id, answer?.status, answer?.body.code], [id, 403, 'role_missing'])
  })
  assert.equal(shownOf(await auditor.operateIn('acme', '/me')), nowhere, 'a tenant of others looks like none')
})

test('what belongs to the installation takes a role in main, whatever somebody is in a tenant', async () => {
  const boss = await enrolIn('acme', 'owner')
  const target = await enrolIn('acme', 'support')
  const changes = [
    boss.operateIn('acme', '/tenants', { name: 'mine' }),
    boss.operateIn('acme', `/members/${target.name}/password-link`, {}),
    boss.operateIn('acme', `/members/${target.name}/remove-second-factor`, {}),
    boss.operateIn('acme', `/members/${target.name}`, { isDisabled: true }, 'PATCH'),
    boss.operateIn('acme', '/keys'),
    boss.operateIn('acme', '/keys/rotation', {}),
    boss.operateIn('acme', '/keys/retired/k1', undefined, 'DELETE'),
  ]
  for (const answer of await Promise.all(changes)) assertProblem(answer, 403, 'role_missing')
  const { body } = await boss.operateIn('acme', '/installation')
  assert.deepEqual([body.settings, body.processes, body.disk], [[], [], undefined])
  // Its sign-in is that of the installation: nothing without the second factor, and a fresh code for what matters.
  opened().clock.advance(16 * 60_000)
  assertProblem(
    await boss.operateIn('acme', '/merchants', { name: 'Late', mode: 'live' }),
    403,
    'verification_required',
  )
  assert.equal((await target.operateIn('acme', '/me')).status, 200)
})

test('ids, words and links of another tenant find nothing', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Theirs mark', mode: 'sandbox' })
  const { body: endpoint } = await shop.post('/endpoints', { url: 'https://mark.example.com/payin' })
  const paid = await shop.create('mark-paid', { userId: 'mark-user' })
  await payIn(service, { requisiteId: paid.body.card.id, minor: 5000_00n })
  service.clock.advance(3000)
  await service.runJobs('all')
  const ids: Readonly<Record<string, string>> = {
    merchantId: shop.merchantId,
    id: paid.body.payment.id,
    paymentId: paid.body.payment.id,
    endpointId: endpoint.id,
    requisiteId: paid.body.card.id,
    orderId: 'mark-paid',
  }
  const boss = await enrolIn('acme', 'owner')
  const secrets = ['mark', shop.merchantId, paid.body.payment.id, endpoint.id, paid.body.card.id]
  await forEachOperation(async ({ method, path, id }, index) => {
    if (id === 'listTenants' || (method !== 'GET' && !path.includes('{'))) return
    for (const key of ['merchantId', ['id', 'requisiteId', 'endpointId'][index % 3] ?? '']) {
      const address = path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => (name === 'id' ? ids[key] : ids[name]) ?? ids[key] ?? '',
      )
      const answer = await boss.operateIn('acme', address, method === 'GET' ? undefined : {}, method)
      assert.ok(answer.status < 500, `${id} ${answer.status}`)
      // A refusal may repeat what was asked for, and no more.
      if (answer.status >= 400) continue
      for (const secret of secrets) assert.ok(!JSON.stringify(answer.body).includes(secret), `${id} shows ${secret}`)
      if (path.includes('{') && method !== 'GET') assert.fail(`${id} changed something: ${JSON.stringify(answer.body)}`)
      if (!path.includes('{id}')) break
    }
  })
  const theirs = openOperator(service)
  for (const q of ['mark-paid', 'Theirs', '5000']) {
    assert.notDeepEqual((await theirs.get(`/search?q=${q}`)).body.results, [])
    assert.deepEqual((await boss.operateIn('acme', `/search?q=${q}`)).body.results, [])
  }

  // Links of pages send no header: the tenant is in their query, for sessions of the console only.
  const link = { headers: { cookie: cookieOf(boss), 'sec-fetch-site': 'same-origin' } }
  const export_ = (query: string, given: object = link) => send(service, `/api/v1/operator/payments.csv${query}`, given)
  const own = await export_('?payin-tenant=acme')
  assert.equal(own.status, 200)
  assert.ok(!String(own.body).includes('mark-paid'))
  for (const query of ['', '?payin-tenant=main', '?payin-tenant=beta', '?payin-tenant=acme&payin-tenant=main'])
    assertProblem(await export_(query), 403, 'role_missing')
  const token = { headers: { authorization: `Bearer ${service.operatorToken}` } }
  assertProblem(await export_('?payin-tenant=acme', token), 400, 'validation_failed')
})

const cookieOf = ({ cookies }: Enrolled): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

test('news is of the tenant that the page names, and ends with the role', async () => {
  const service = opened()
  const boss = await enrolIn('acme', 'owner')
  const watcher = await enrolIn('acme', 'auditor')
  const listen = (tenant: string) =>
    fetch(`${service.url}/console/news`, {
      headers: { cookie: cookieOf(watcher), 'x-payin-console': '1', 'payin-tenant': tenant },
    })
  for (const tenant of ['main', 'beta', 'nobody']) assert.equal((await listen(tenant)).status, 403)
  const stream = await listen('acme')
  assert.equal(stream.status, 200)
  let heard = ''
  const ended = (async () => {
    for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += text
  })()
  await (await openShop(service)).create(`news-${process.pid}`)
  assert.equal((await boss.operateIn('acme', `/members/${watcher.name}/role`, undefined, 'DELETE')).status, 200)
  await ended
  assert.doesNotMatch(heard, /payments/, 'main had a payment')
  assert.equal((await listen('acme')).status, 403)
  assertProblem(await watcher.operateIn('acme', '/me'), 403, 'role_missing')
})

test('an owner of a tenant gives roles in it to those it knows, and never more', async () => {
  const service = opened()
  const boss = await enrolIn('acme', 'owner')
  const known = await enrolMember(service, { role: 'support' })
  const acme = await operatorOf('acme')
  const give = (body: object, tenant = 'acme') => boss.operateIn(tenant, `/members/${known.name}/role`, body, 'PUT')
  assertProblem(await give({ role: 'finance' }), 400, 'validation_failed', ['email'])
  const unknown = await give({ role: 'finance', email: 'other@example.com' })
  assertProblem(unknown, 404, 'resource_not_found')
  const nobody = await boss.operateIn(
    'acme',
    '/members/nobody-1/role',
    { role: 'finance', email: 'x@example.com' },
    'PUT',
  )
  assert.equal(shownOf(nobody), shownOf(unknown), 'a wrong address says as little as a wrong name')
  assertProblem(await give({ role: 'owner', email: known.email }, 'main'), 403, 'role_missing')
  assertProblem(await give({ role: 'owner', email: known.email }, 'beta'), 403, 'role_missing')
  assert.ok(!(await membersOf(acme)).some(({ name }) => name === known.name))

  assert.equal((await give({ role: 'finance', email: known.email.toUpperCase() })).status, 200)
  const entry = { actor: `operator:${boss.name}`, action: 'member.give_role', subject: `member:${known.name}` }
  const { actor, action, subject, details } = await acme.lastAudit()
  assert.deepEqual({ actor, action, subject, details }, { ...entry, details: { role: 'finance' } })
  const inMain = await openOperator(service).lastAudit()
  assert.deepEqual([inMain.action, inMain.details], [entry.action, { role: 'finance', tenant: 'acme' }])
  // The session goes on: support in main, finance in acme.
  assert.equal((await known.operate('/me')).body.role, 'support')
  assert.equal((await known.operateIn('acme', '/me')).body.role, 'finance')
  assert.deepEqual(
    (await known.operate('/tenants')).body.tenants.map(({ name, role }: { name: string; role: string }) => [
      name,
      role,
    ]),
    [
      ['main', 'support'],
      ['acme', 'finance'],
    ],
  )
  const listed = async (each: Pick<Operator, 'get'>) => (await membersOf(each)).find(({ name }) => name === known.name)
  assert.deepEqual((await listed(openOperator(service)))?.elsewhere, [{ tenant: 'acme', role: 'finance' }])
  assert.deepEqual((await listed(acme))?.role, 'finance')
  assert.equal((await listed(acme))?.elsewhere, undefined)
  assert.equal(
    (await boss.operateIn('acme', `/members/${known.name}`, { role: 'auditor' }, 'PATCH')).body.role,
    'auditor',
  )
  assert.equal((await known.operateIn('acme', '/me')).body.role, 'auditor')

  // People of main are not the tenant's to see, to disable or to send away.
  const other = await enrolMember(service, { role: 'finance' })
  assertProblem(
    await boss.operateIn('acme', `/members/${other.name}`, { role: 'auditor' }, 'PATCH'),
    404,
    'resource_not_found',
  )
  assertProblem(
    await boss.operateIn('acme', `/members/${other.name}/role`, undefined, 'DELETE'),
    404,
    'resource_not_found',
  )
  assert.equal((await other.operate('/me')).status, 200)
})

test('an invitation is to one tenant, and takes nobody else’s place', async () => {
  const service = opened()
  const [boss, staff] = [await enrolIn('acme', 'owner'), await enrolMember(service, { role: 'support' })]
  const operator = openOperator(service)
  const invite = (name: string, email: string, tenant = 'acme') =>
    boss.operateIn(tenant, '/members/invitations', { name, email, role: 'owner' })
  for (const tenant of ['main', 'beta'])
    assertProblem(await invite('newcomer', 'n@example.com', tenant), 403, 'role_missing')
  const taken = await invite(staff.name, 'n@example.com')
  assertProblem(taken, 409, 'already_exists')
  assert.ok(!JSON.stringify(taken.body).includes(staff.email), 'shows an address of main')
  await operator.call('POST', '/members/invitations', {
    name: 'awaited',
    email: 'awaited@example.com',
    role: 'auditor',
  })
  assertProblem(await invite('awaited', 'n@example.com'), 409, 'already_exists')
  assertProblem(
    await boss.operateIn('acme', '/members/invitations/awaited', undefined, 'DELETE'),
    404,
    'resource_not_found',
  )

  const { body } = await invite('newcomer', 'newcomer@example.com')
  const invitationsIn = async (each: Operator): Promise<{ name: string; tenant?: string }[]> =>
    (await each.get('/members')).body.invitations
  const found = (list: { name: string }[]) => list.find(({ name }) => name === 'newcomer')
  assert.ok(found(await invitationsIn(await operatorOf('acme'))))
  assert.ok(!found(await invitationsIn(await operatorOf('beta'))))
  assert.equal((found(await invitationsIn(operator)) as { tenant?: string } | undefined)?.tenant, 'acme')
  const token = String(body.link).split('#')[1] ?? ''
  const accepted = await visit(service).call('/invitations/accept', { token, password: 'correct horse battery staple' })
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  assert.equal((await membersOf(await operatorOf('acme'))).find(({ name }) => name === 'newcomer')?.role, 'owner')
  const inMain = (await membersOf(operator)).find(({ name }) => name === 'newcomer')
  assert.deepEqual([inMain?.role, inMain?.elsewhere], [undefined, [{ tenant: 'acme', role: 'owner' }]])
  assert.ok(!(await staff.operate('/members')).body.members.some(({ name }: { name: string }) => name === 'newcomer'))
})

test('a tenant keeps an owner, and who adds one is its first', async () => {
  const service = opened()
  const founder = await enrolMember(service, { role: 'owner' })
  const made = await founder.operate('/tenants', { name: 'founded' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const seen = (await founder.operate('/tenants')).body.tenants as { name: string; role?: string }[]
  assert.deepEqual(
    seen.map(({ name, role }) => [name, role]),
    [
      ['main', 'owner'],
      ['acme', undefined],
      ['beta', undefined],
      ['founded', 'owner'],
    ],
    'an owner of main sees that there are others',
  )
  assertProblem(await founder.operateIn('acme', '/me'), 403, 'role_missing')
  const founded = await operatorOf('founded')
  const last = [
    founded.call('PATCH', `/members/${founder.name}`, { role: 'auditor' }),
    founded.call('PUT', `/members/${founder.name}/role`, { role: 'auditor' }),
    founded.call('DELETE', `/members/${founder.name}/role`),
    openOperator(service).call('PATCH', `/members/${founder.name}`, { isDisabled: true }),
  ]
  for (const answer of await Promise.all(last)) assertProblem(answer, 409, 'invalid_state')
  // Two owners who remove each other at once: one of them stays.
  const second = await enrolIn('founded', 'owner')
  const both = await Promise.all([
    founder.operateIn('founded', `/members/${second.name}/role`, undefined, 'DELETE'),
    second.operateIn('founded', `/members/${founder.name}/role`, undefined, 'DELETE'),
  ])
  assert.deepEqual(both.filter(({ status }) => status === 200).length, 1, JSON.stringify(both.map(({ body }) => body)))
  assert.equal((await membersOf(founded)).filter(({ role }) => role === 'owner').length, 1)
})

test('a token that is limited to tenants has its role in them alone', async () => {
  const service = { ...opened(), operatorToken: cara }
  const own = openOperator({ ...service, tenant: 'acme' })
  assert.deepEqual((await own.get('/me')).body, { name: 'cara', role: 'owner' })
  assert.deepEqual(
    (await own.get('/tenants')).body.tenants.map(({ name }: { name: string }) => name),
    ['acme'],
  )
  for (const tenant of [undefined, 'main', 'beta', 'gone'])
    assertProblem(await openOperator({ ...service, ...(tenant && { tenant }) }).get('/me'), 403, 'role_missing')
  assertProblem(await own.call('POST', '/tenants', { name: 'more' }), 403, 'role_missing')
  const tokensIn = async (operator: Operator) =>
    (await operator.get('/members')).body.tokens.map(({ name }: { name: string }) => name)
  assert.deepEqual(await tokensIn(own), ['operator', 'cara'])
  assert.deepEqual(await tokensIn(openOperator(opened())), ['operator'])
})

test('payin gives, shows and takes roles in a tenant', async () => {
  const service = opened()
  const { name, email } = await enrolMember(service, { role: 'support' })
  const place = { environment: { PAYIN_URL: service.url, PAYIN_OPERATOR_TOKEN: service.operatorToken } }
  const payin = async (...words: string[]): Promise<string> => {
    const { out, error } = await runPayin(words, place)
    assert.equal(error, '', words.join(' '))
    return out
  }
  const line = (role: string): RegExp => new RegExp(`^${name} +${email} +${role} `, 'm')
  assert.match(await payin('--tenant', 'acme', 'operators', 'add', name, '--role', 'finance'), /role is finance/)
  assert.match(await payin('--tenant', 'acme', 'operators', 'list'), line('finance'))
  assert.match(await payin('operators', 'list'), line('support, finance in acme'))
  await payin('--tenant', 'acme', 'operators', 'remove', name)
  assert.doesNotMatch(await payin('--tenant', 'acme', 'operators', 'list'), line('.*'))
})

test('a member of a merchant of a tenant works for it, whatever tenant its requests name', async () => {
  const acme = await inTenant('acme')
  const shop = await openShop(acme, { name: 'Acme Shop' })
  await shop.create('portal-1')
  const own = await enrolMember(acme, { role: 'merchant', merchantId: shop.merchantId, grant: 'write' })
  assert.equal((await own.trade('/me')).body.name, 'Acme Shop')
  assert.equal((await own.trade('/payments')).body.payments[0].orderId, 'portal-1')
  const canceled = await own.trade('/payments/byOrderId/cancel', { orderId: 'portal-1' })
  assert.equal(canceled.status, 200, JSON.stringify(canceled.body))
  const { actor, action } = await openOperator(acme).lastAudit()
  assert.deepEqual([actor, action], [`member:${own.name}`, 'payment.cancel'])
  for (const tenant of ['main', 'acme']) assertProblem(await own.operateIn(tenant, '/me'), 403, 'role_missing')
  assertProblem(await own.operate('/tenants'), 403, 'role_missing')
  const { status } = await openOperator(acme).call('PUT', `/members/${own.name}/role`, { role: 'owner' })
  assert.equal(status, 409)
  assert.equal((await openOperator(acme).call('DELETE', `/members/${own.name}/role`)).status, 200)
  assertProblem(await own.trade('/me'), 401, 'session_missing')
})

test("the preview of a merchant's page is for operators of its tenant, and for nobody else", async () => {
  const acme = await openShop(await inTenant('acme'))
  const path = `/assets/preview/${acme.merchantId}`
  const look = async (visitor?: Enrolled) => {
    const cookie = [...(visitor?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = visitor && { cookie, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.251' }
    return (await send(opened(), path, { headers: headers ?? {} })).status
  }
  const merchantMember = await enrolMember(await inTenant('acme'), { role: 'merchant', merchantId: acme.merchantId })
  assert.deepEqual(
    [
      await look(),
      await look(merchantMember),
      await look(await enrolIn('beta', 'owner')),
      await look(await enrolIn('acme', 'auditor')),
    ],
    [401, 403, 403, 200],
  )
})
