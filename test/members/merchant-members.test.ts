// Members of a merchant in the console: they act as their merchant and see nothing else (docs/decisions/0024).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { destinationRules } from '../../src/rules/money/destination.ts'
import { minute } from '../../src/rules/time.ts'
import { codeOf, enrolMember, visit, type Visitor } from '../support/console.ts'
import { scopesOfGrant } from '../../src/rules/members/access.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { operationsUnder, readScopeTable } from '../support/role-tables.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, send } from '../support/shop.ts'
import { sendRaw } from '../support/raw-http.ts'

const { onEngines, opened } = shareEngines({ PAYIN_TRUST_PROXY: '127.0.0.1' })

/** A shop with a credited payment, an endpoint and a delivery, a dispute and a balance, with names that stand out. */
const openRichShop = async (service: TestService, mark: string) => {
  const shop = await openShop(service, { name: `Shop ${mark}` })
  const { body: endpoint } = await shop.post('/endpoints', { url: `https://${mark}.example.com/payin` })
  const paid = await shop.create(`${mark}-paid`, { userId: `${mark}-user` })
  await payIn(service, { requisiteId: paid.body.card.id, minor: 5000_00n })
  await shop.create(`${mark}-canceled`)
  await shop.post('/payments/byOrderId/cancel', { orderId: `${mark}-canceled` })
  await shop.post(`/payments/byOrderId/${mark}-canceled/dispute`, { amount: 5000, note: `${mark}-note` })
  await service.runJobs()
  const { body: feed } = await shop.get('/events')
  const settlement = await openOperator(service).call('POST', '/settlements', {
    merchantId: shop.merchantId,
    amount: 10,
    reference: `${mark}-settlement`,
    destinationId: await openDestination(service, shop.merchantId, `${mark}-destination`),
  })
  assert.equal(settlement.status, 201, JSON.stringify(settlement.body))
  const ids: Readonly<Record<string, string>> = {
    orderId: `${mark}-canceled`,
    endpointId: endpoint.id,
    eventId: feed.events[0].id,
    id: settlement.body.id,
    merchantId: shop.merchantId,
  }
  const secrets = [mark, shop.merchantId, paid.body.payment.id, endpoint.id, settlement.body.id, feed.events[0].id]
  return { ...shop, mark, ids, secrets }
}

const fill = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ids['merchantId'] ?? '')

/** A body that passes where one is needed. */
const bodies: Readonly<Record<string, (ids: Readonly<Record<string, string>>) => unknown>> = {
  acknowledgePayment: ({ orderId }) => ({ orderId }),
  cancelPayment: ({ orderId }) => ({ orderId }),
  createEndpoint: () => ({ url: 'https://other.example.com/payin' }),
  updateEndpoint: () => ({ description: 'changed' }),
  redeliverSince: () => ({ since: new Date().toISOString() }),
  openDispute: () => ({ amount: 5000 }),
}

test('a member of a merchant does exactly what docs/roles.md has for the grant, in every operation', async () => {
  const service = opened()
  const { merchantId } = await openShop(service, { name: 'By the table', mode: 'sandbox', perMethod: 0 })
  const scopeOf = readScopeTable()
  const operations = await operationsUnder(service, '/api/v1/merchant')
  for (const grant of ['read', 'write'] as const) {
    const member = await enrolMember(service, { role: 'merchant', merchantId, grant })
    for (const { method, path, id } of operations) {
      const scope = scopeOf.get(id)
      const may = scope === undefined || scopesOfGrant[grant].some((each) => each === scope)
      const answer = await member.trade(
        fill(path, { merchantId: unknownId }),
        method === 'GET' ? undefined : {},
        method,
      )
      const refused = ['scope_missing', 'browser_not_allowed'].includes(answer.body.code)
      assert.equal(refused, !may || id === 'createPayment', `${grant}: ${id} ${answer.status} ${answer.body.code}`)
    }
  }
})

test('a member of a merchant reaches no operation of operators, and sees nothing of others in its own', async () => {
  const service = opened()
  const theirs = await openRichShop(service, `theirs-${service.engine}`)
  const own = await openShop(service, { name: 'Own Shop', mode: 'sandbox' })
  await own.create('own-order')
  const member = await enrolMember(service, { role: 'merchant', merchantId: own.merchantId, grant: 'write' })

  const ofOperators = await operationsUnder(service, '/api/v1/operator')
  assert.ok(ofOperators.length > 150, `${ofOperators.length} operations`)
  for (const { method, path, id } of ofOperators) {
    for (const ids of [theirs.ids, { merchantId: own.merchantId, id: own.merchantId }]) {
      const answer = await member.operate(fill(path, ids), method === 'GET' ? undefined : {}, method)
      assert.deepEqual([id, answer.status, answer.body.code], [id, 403, 'role_missing'])
    }
  }

  const ofMerchants = await operationsUnder(service, '/api/v1/merchant')
  assert.ok(ofMerchants.length > 30, `${ofMerchants.length} operations`)
  for (const { method, path, id } of ofMerchants) {
    const body = method === 'GET' ? undefined : (bodies[id]?.(theirs.ids) ?? {})
    for (const query of method === 'GET'
      ? ['', `?userId=${theirs.mark}-user`, `?merchantId=${theirs.merchantId}`]
      : ['']) {
      const answer = await member.trade(fill(path, theirs.ids) + query, body, method)
      const shown = JSON.stringify(answer.body)
      // A refusal may repeat what was asked for, and no more.
      const asked = answer.status >= 400 ? [] : theirs.secrets
      for (const secret of asked) assert.ok(!shown.includes(secret), `${id}${query} shows ${secret}: ${shown}`)
      assert.ok(answer.status < 500, `${id}: ${shown}`)
      if (path.includes('{')) assert.ok([400, 404].includes(answer.status), `${id}: ${answer.status} ${shown}`)
    }
  }
  assertProblem(await member.trade('/payments', { orderId: 'x' }), 403, 'browser_not_allowed')

  // What belongs to the others is as it was.
  assert.equal(await theirs.status(theirs.ids['orderId'] ?? ''), 'disput')
  assert.equal((await theirs.get('/endpoints')).body.endpoints[0].description, '')
})

const codeOfRefusal = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await answer
  return [status, body.code]
}

test('members of two merchants each see their own payments: list, detail, export, count', async () => {
  const service = opened()
  const shops = await Promise.all(['Left', 'Right'].map((name) => openShop(service, { name })))
  const seen: string[][] = []
  for (const [index, shop] of shops.entries()) {
    await shop.create('same-order', { amount: 1000 + index })
    await shop.create(`only-${index}`, { amount: 2000 + index, userId: 'same-user' })
    const member = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId })
    const { body: me } = await member.trade('/me')
    assert.deepEqual([me.merchantId, me.member, me.scopes.length], [shop.merchantId, member.name, 3])
    const { body: list } = await member.trade('/payments?count=true&userId=same-user')
    assert.deepEqual(list.count, { matching: 1, isExact: true })
    const { body: all } = await member.trade('/payments')
    seen.push(all.payments.map((payment: { id: string }) => payment.id))
    assert.equal((await member.trade('/payments/byOrderId/same-order/timeline')).body.amount, 1000 + index)
    assertProblem(await member.trade(`/payments/byOrderId/only-${1 - index}/timeline`), 404, 'payment_not_found')
    const csv = (await member.trade('/payments.csv')).body as string
    assert.equal(csv.trim().split('\n').length, 3)
    assert.ok(csv.includes(`only-${index}`) && !csv.includes(`only-${1 - index}`))
  }
  const [left = [], right = []] = seen
  assert.equal(left.length, 2)
  assert.deepEqual(
    left.filter((id) => right.includes(id)),
    [],
  )
})

onEngines('a member of a merchant does what the grant allows, and the audit names who', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  const requisiteId = (await shop.create('to-acknowledge')).body.card.id
  await payIn(service, { requisiteId, minor: 5000_00n })
  await shop.create('to-cancel')
  const reader = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId })
  const writer = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId, grant: 'write' })
  const wallet = { kind: 'tron', address: destinationRules.tron.example, label: 'Wallet' }
  const changes: readonly (readonly [string, string, unknown])[] = [
    ['payment.acknowledge', '/payments/byOrderId/ack', { orderId: 'to-acknowledge' }],
    ['payment.cancel', '/payments/byOrderId/cancel', { orderId: 'to-cancel' }],
    ['dispute.open', '/payments/byOrderId/to-cancel/dispute', { amount: 5000 }],
    ['dispute.withdraw', '/payments/byOrderId/to-cancel/dispute/withdraw', {}],
    ['endpoint.create', '/endpoints', { url: 'https://shop.example.com/payin' }],
    ['destination.request', '/destinations', wallet],
  ]
  const operator = openOperator(service)
  for (const [action, path, body] of changes) {
    assertProblem(await reader.trade(path, body), 403, 'scope_missing')
    const answer = await writer.trade(path, body)
    assert.ok(answer.status < 300, `${action}: ${JSON.stringify(answer.body)}`)
    const audit = await operator.lastAudit()
    assert.deepEqual([audit.actor, audit.action], [`member:${writer.name}`, action])
  }
  service.clock.advance(16 * minute)
  const another = { url: 'https://shop.example.com/again' }
  const [{ id: destinationId }] = (await shop.get('/destinations')).body.destinations
  const settlement = { reference: 'june', destinationId }
  for (const again of [writer.trade('/endpoints', another), writer.trade('/settlements', settlement)])
    assert.deepEqual(await codeOfRefusal(again), [403, 'verification_required'])
  assert.equal((await writer.call('/auth/two-factor/verify-totp', { code: codeOf(writer.uri, 1) })).status, 200)
  assert.equal((await writer.trade('/endpoints', another)).status, 201)
  assert.equal((await writer.trade('/settlements', settlement)).body.requestedBy, `member:${writer.name}`)
  assert.equal((await operator.call('PATCH', `/members/${writer.name}`, { grant: 'read' })).body.grant, 'read')
  assert.deepEqual(await codeOfRefusal(writer.trade('/me')), [401, 'session_missing'])
})

onEngines('a session counts in its own pages only, and ends with its merchant, member or sign-out', async (service) => {
  const shop = await openShop(service)
  const member = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId, grant: 'write' })
  const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const from = (headers: Record<string, string>, path = '/payments') =>
    codeOfRefusal(send(service, `/api/v1/merchant${path}`, { headers: { cookie, ...headers } }))
  assert.deepEqual(await from({}), [401, 'token_missing'])
  assert.deepEqual(await from({ 'x-payin-console': '1' }), [200, undefined])
  assert.deepEqual(await from({ 'sec-fetch-site': 'same-origin' }, '/payments.csv'), [200, undefined], 'a download')
  assert.deepEqual(await from({ 'sec-fetch-site': 'same-site' }), [403, 'browser_not_allowed'])
  assert.deepEqual(await from({ 'x-payin-console': '1', origin: 'https://evil.example' }), [403, 'browser_not_allowed'])
  const post = { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body: '{"orderId":"x"}' }
  assertProblem(await send(service, '/api/v1/merchant/payments/byOrderId/cancel', post), 401, 'token_missing')
  const operator = await enrolMember(service, { role: 'owner' })
  assert.deepEqual(await codeOfRefusal(operator.trade('/payments')), [403, 'role_missing'])

  const root = openOperator(service)
  const suspend = (status: string) => root.call('PATCH', `/merchants/${shop.merchantId}`, { status })
  await suspend('suspended')
  assert.deepEqual(await codeOfRefusal(member.trade('/payments')), [403, 'merchant_suspended'])
  await suspend('active')
  assert.equal((await member.trade('/payments')).status, 200)

  const ends: readonly ((each: Visitor & { name: string }) => Promise<unknown>)[] = [
    (each) => each.call('/auth/sign-out', {}),
    (each) => root.call('PATCH', `/members/${each.name}`, { isDisabled: true }),
    (each) => root.call('POST', `/members/${each.name}/password-link`),
  ]
  for (const end of ends) {
    const ending = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId })
    const before = visit(service)
    for (const [name, value] of ending.cookies) before.cookies.set(name, value)
    assert.equal((await before.trade('/payments')).status, 200)
    await end(ending)
    assert.deepEqual(await codeOfRefusal(before.trade('/payments')), [401, 'session_missing'])
  }
})

onEngines('an invitation says whose member somebody becomes, and nobody changes sides', async (service) => {
  const shop = await openShop(service, { name: 'Corner Shop' })
  const operator = openOperator(service)
  const invite = (fields: object) =>
    operator.call('POST', '/members/invitations', { name: 'olga', email: 'olga@example.com', ...fields })
  assertProblem(await invite({ role: 'merchant' }), 400, 'validation_failed', ['merchantId'])
  assertProblem(await invite({ role: 'owner', merchantId: shop.merchantId }), 400, 'validation_failed', ['merchantId'])
  assertProblem(await invite({ role: 'support', grant: 'read' }), 400, 'validation_failed', ['grant'])
  assertProblem(await invite({ role: 'merchant', merchantId: unknownId }), 404, 'resource_not_found')
  assert.equal((await invite({ role: 'merchant', merchantId: shop.merchantId })).status, 201)
  const { invitations } = (await operator.get('/members')).body
  const { merchantName, grant } = invitations.find((each: { name: string }) => each.name === 'olga')
  assert.deepEqual([merchantName, grant], ['Corner Shop', 'read'])
  await operator.call('DELETE', '/members/invitations/olga')

  const member = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId })
  const change = (fields: object, name = member.name) => operator.call('PATCH', `/members/${name}`, fields)
  assertProblem(await change({ role: 'owner' }), 409, 'invalid_state')
  const other = await enrolMember(service, { role: 'auditor' })
  assertProblem(await change({ grant: 'write' }, other.name), 409, 'invalid_state')
})

/** Sends a request whose body comes only after `meanwhile`, and returns its status and code. */
const sendSlowly = async (
  service: TestService,
  line: string,
  headers: readonly string[],
  body: string,
  meanwhile: () => Promise<void>,
): Promise<readonly [number | undefined, string | undefined]> => {
  const head = [
    line,
    'host: payin.test',
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...headers,
  ]
  const { answers } = await sendRaw(service, (socket) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 1)}`)
    // Time for the service to see who sends it.
    void sleep(300)
      .then(meanwhile)
      .then(() => socket.write(body.slice(1)))
  })
  return [answers[0]?.status, answers[0]?.body.code]
}

const byNumber = (a: number, b: number): number => a - b

const headersOf = ({ cookies }: Visitor): readonly string[] => [
  `cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
  'x-payin-console: 1',
]

onEngines('a merchant uses no access that it has lost by a request that was begun before', async (service) => {
  const shop = await openShop(service)
  const root = openOperator(service)
  const member = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId, grant: 'write' })
  const disable = async (): Promise<void> =>
    void (await root.call('PATCH', `/members/${member.name}`, { grant: 'read' }))
  const url = JSON.stringify({ url: 'https://shop.example.com/late' })
  const add = 'POST /api/v1/merchant/endpoints HTTP/1.1'
  assert.deepEqual(await sendSlowly(service, add, headersOf(member), url, disable), [401, 'session_missing'])
  const { body: token } = await root.call('POST', `/merchants/${shop.merchantId}/tokens`, { name: 'lost' })
  const revoke = async (): Promise<void> => {
    await root.call('POST', `/tokens/${token.id}/revoke`)
    await sleep(900)
  }
  const bearer = [`authorization: Bearer ${token.token}`]
  assert.deepEqual(await sendSlowly(service, add, bearer, url, revoke), [401, 'token_revoked'])
  assert.deepEqual((await shop.get('/endpoints')).body.endpoints, [])
})

onEngines('changes of members at once do not undo each other, and an owner stays', async (service) => {
  const root = openOperator(service)
  const first = await enrolMember(service, { role: 'owner' })
  const second = await enrolMember(service, { role: 'owner' })
  const change = (name: string, body: object) => root.call('PATCH', `/members/${name}`, body)
  type Listed = { readonly name: string; readonly role: string; readonly disabledAt?: string }
  const list = async (): Promise<readonly Listed[]> => (await root.get('/members')).body.members
  for (let round = 0; round < 5; round++) {
    await Promise.all([
      ...Array.from({ length: 4 }, () => change(first.name, { isDisabled: false })),
      change(first.name, { role: 'auditor' }),
    ])
    assert.equal((await list()).find(({ name }) => name === first.name)?.role, 'auditor')
    await change(first.name, { role: 'owner' })
  }
  const others = (await list()).filter(({ name, role }) => role === 'owner' && name !== first.name)
  for (const { name } of others) if (name !== second.name) await change(name, { role: 'auditor' })
  const back = `PATCH /api/v1/operator/members/${second.name} HTTP/1.1`
  const disable = async (): Promise<void> => void (await change(second.name, { isDisabled: true }))
  assert.deepEqual(await sendSlowly(service, back, headersOf(second), '{"isDisabled":false}', disable), [
    401,
    'session_missing',
  ])
  assert.ok((await list()).find(({ name }) => name === second.name)?.disabledAt)
  await change(second.name, { isDisabled: false })
  const leaves = await Promise.all([change(first.name, { isDisabled: true }), change(second.name, { role: 'finance' })])
  assert.deepEqual(leaves.map(({ status }) => status).toSorted(byNumber), [200, 409])
})

onEngines('of several invitations of one person that are made at once, one link is good', async (service) => {
  const root = openOperator(service)
  const invited = { name: 'often.invited', email: 'often@example.com', role: 'auditor' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => root.call('POST', '/members/invitations', invited)))
  const links = answers.map(({ status, body }) => (status === 201 ? (body.link as string) : ''))
  const accepted = await Promise.all(
    links.map((link) =>
      visit(service).call('/invitations/accept', {
        token: link.slice(link.indexOf('#') + 1),
        password: 'correct horse battery staple',
      }),
    ),
  )
  assert.deepEqual(accepted.map(({ status }) => status).toSorted(byNumber), [200, 404, 404, 404, 404])
})
