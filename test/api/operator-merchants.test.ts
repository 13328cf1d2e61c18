// Merchants, their terms, limits and tokens in the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../src/rules/members/access.ts'
import { defaultMerchantSettings } from '../../src/rules/merchants/merchant.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop, send } from '../support/shop.ts'

const opened = shareService()

const useToken = (token: string) =>
  send(opened(), '/api/v1/merchant/payments/currencies', { headers: { authorization: `Bearer ${token}` } })

onBothEngines('201: creates a merchant that is listed, shown and audited', async (service) => {
  const operator = openOperator(service)
  const settings = { returnHosts: ['shop.example.com', 'localhost:3000'], maxOpenPayments: 10 }
  const created = await operator.call('POST', '/merchants', { name: 'Магазин', mode: 'sandbox', settings })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id, createdAt, ...rest } = created.body
  const all = { ...defaultMerchantSettings, ...settings }
  assert.deepEqual(rest, { name: 'Магазин', mode: 'sandbox', status: 'active', settings: all })
  assert.equal(createdAt, new Date(service.clock.now).toISOString())
  assert.deepEqual((await operator.get('/merchants')).body, { merchants: [created.body] })
  const shown = (await operator.get(`/merchants/${id}`)).body
  assert.deepEqual(shown.limits, [])
  assert.equal(shown.terms['account-to-account'].timeToPayMs, hour / 2)
  const audit = await operator.lastAudit()
  assert.equal(audit.actor, 'operator:operator')
  assert.equal(audit.action, 'merchant.create')
  assert.equal(audit.subject, `merchant:${id}`)
  assert.deepEqual(audit.details['name'], 'Магазин')
})

test('201: a merchant is created with its first token, both or neither', async () => {
  const operator = openOperator(opened())
  const wanted = { name: 'With a token', mode: 'live', tokenName: 'shop server' }
  const { status, body } = await operator.call('POST', '/merchants', wanted)
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal((await useToken(body.issued.token)).status, 200)
  assert.deepEqual([body.issued.name, body.issued.merchantId], ['shop server', body.id])
  const entries = (await operator.get('/audit?limit=500')).body.entries as { action: string; subject: string }[]
  assert.deepEqual(
    entries.slice(-2).map(({ action, subject }) => [action, subject]),
    [
      ['merchant.create', `merchant:${body.id}`],
      ['token.issue', `token:${body.issued.id}`],
    ],
  )
  assert.ok(!JSON.stringify(entries).includes(body.issued.token))
  const refused = await operator.call('POST', '/merchants', { ...wanted, name: 'Half', tokenName: 'a\u0000b' })
  assertProblem(refused, 400, 'validation_failed', ['tokenName'])
  assert.deepEqual((await operator.get('/merchants?name=half')).body.merchants, [])
})

test('200: changes only what is named, at once', async () => {
  const service = opened()
  const operator = openOperator(service)
  const shop = await openShop(service, { perMethod: 0, settings: { maxOpenPayments: 7 } })
  const path = `/merchants/${shop.merchantId}`
  const changed = await operator.call('PATCH', path, { status: 'suspended', settings: { returnHosts: ['a.example'] } })
  assert.deepEqual(changed.body.settings, {
    ...defaultMerchantSettings,
    returnHosts: ['a.example'],
    maxOpenPayments: 7,
  })
  assert.equal(changed.body.name, 'Test Shop')
  assertProblem(await shop.get('/payments'), 403, 'merchant_suspended')
  await operator.call('PATCH', path, { status: 'active', settings: { maxOpenPayments: null } })
  assert.equal((await shop.get('/payments')).status, 200)
  assert.equal((await operator.get(path)).body.settings.maxOpenPayments, null)
  assertProblem(await operator.call('PATCH', path, {}), 400, 'validation_failed')
})

test('200: sets the contacts of the support; refuses what no payer could use', async () => {
  const operator = openOperator(opened())
  const { merchantId } = await openShop(opened(), { perMethod: 0 })
  const path = `/merchants/${merchantId}`
  const contacts = {
    supportEmail: 'help@shop.example',
    supportPhone: '+78005553535',
    supportLink: 'https://магазин.example/help?topic=payment',
    supportMessenger: 'https://t.me/shop',
  }
  const set = await operator.call('PATCH', path, { settings: contacts })
  assert.deepEqual(set.body.settings, { ...defaultMerchantSettings, ...contacts })
  const removed = await operator.call('PATCH', path, { settings: { supportPhone: null } })
  assert.deepEqual(removed.body.settings, { ...defaultMerchantSettings, ...contacts, supportPhone: null })
  const wrong = [
    { supportEmail: 'help' },
    { supportEmail: 'Help <help@shop.example>' },
    { supportPhone: '8 800 555-35-35' },
    { supportLink: 'http://shop.example/help' },
    { supportLink: 'https://shop.example@evil.example/' },
    { supportMessenger: 'javascript:alert(1)' },
  ]
  for (const settings of wrong) {
    const [field] = Object.keys(settings)
    const answer = await operator.call('PATCH', path, { settings })
    assertProblem(answer, 400, 'validation_failed', [`settings.${field}`])
  }
})

test('200: changes terms and leaves the others; refuses what is out of bounds', async () => {
  const operator = openOperator(opened())
  const { merchantId } = await openShop(opened(), { perMethod: 0 })
  const path = `/merchants/${merchantId}/terms`
  await operator.call('PATCH', `${path}/sbp`, { graceMs: 0, mismatchPolicy: 'review' })
  const set = await operator.call('PATCH', `${path}/sbp`, { feePpm: 12_500 })
  assert.equal(set.body.terms.feePpm, 12_500)
  const { terms } = (await operator.get(`/merchants/${merchantId}`)).body
  assert.deepEqual(terms.sbp, set.body.terms)
  assert.equal(terms.sbp.mismatchPolicy, 'review')
  assert.equal(terms['by-phone'].feePpm, 10_000)
  const wrong = { timeToPayMs: 1, feePpm: 500_001, toleranceMinor: 0.5, mismatchPolicy: 'guess' }
  assertProblem(await operator.call('PATCH', `${path}/sbp`, wrong), 400, 'validation_failed', Object.keys(wrong))
  assertProblem(await operator.call('PATCH', `${path}/cash`, {}), 400, 'validation_failed', ['method'])
})

test('200: sets limits for all and for one merchant, exactly as they are written', async () => {
  const operator = openOperator(opened())
  const shop = await openShop(opened(), { perMethod: 0 })
  const shared = await operator.call('PUT', '/limits/kwd', '{"min":0.001,"max":999999999999.999}')
  assert.deepEqual(shared.body, { currency: 'kwd', min: 0.001, max: 999999999999.999 })
  const own = await operator.call('PUT', '/limits/kwd', { min: 1, max: 2, merchantId: shop.merchantId })
  assert.equal(own.status, 200)
  const { limits } = (await operator.get('/limits')).body
  const kwd = limits.filter((each: { currency: string }) => each.currency === 'kwd')
  assert.deepEqual(kwd, [shared.body, own.body])
  const { currencies } = (await shop.get('/payments/currencies')).body
  assert.deepEqual(
    currencies.find((each: { code: string }) => each.code === 'kwd'),
    { code: 'kwd', min: 1, max: 2 },
  )
})

test('refuses limits that make no sense', async () => {
  const operator = openOperator(opened())
  const refuse = async (path: string, body: unknown, status: number, code: Parameters<typeof assertProblem>[2]) =>
    assertProblem(await operator.call('PUT', path, body), status, code)
  await refuse('/limits/rub', { min: 2, max: 1 }, 400, 'validation_failed')
  await refuse('/limits/rub', { min: 0, max: 1 }, 400, 'validation_failed')
  await refuse('/limits/rub', { min: 0.001, max: 1 }, 422, 'amount_precision')
  await refuse('/limits/rub', '{"min":1,"max":10000000000000}', 422, 'amount_above_max')
  await refuse('/limits/rub', '{"min":1,"max":1e400}', 400, 'validation_failed')
  await refuse('/limits/RUB', { min: 1, max: 2 }, 400, 'validation_failed')
})

test('201: issues a token that works, is shown once and is never in the audit', async () => {
  const operator = openOperator(opened())
  const { merchantId } = await openShop(opened(), { perMethod: 0 })
  const issued = await operator.call('POST', `/merchants/${merchantId}/tokens`, { name: 'server' })
  assert.equal(issued.status, 201)
  assert.deepEqual(
    issued.body.scopes,
    scopes.filter((scope) => scope !== 'sandbox:simulate' && scope !== 'settlements:write'),
  )
  assert.equal((await useToken(issued.body.token)).status, 200)
  assert.ok(!JSON.stringify((await operator.get('/audit')).body).includes(issued.body.token))
  const { token, ...rest } = issued.body
  const listed = (await operator.get(`/merchants/${merchantId}/tokens`)).body.tokens
  const { createdAt, lastUsedAt: _, ...found } = listed.find((each: { id: string }) => each.id === rest.id)
  assert.deepEqual(found, rest)
  assert.ok(token.startsWith(rest.prefix))
})

test("the last use of a merchant's token and of an operator's is known to the minute", async () => {
  const service = opened()
  const operator = openOperator(service)
  const { merchantId } = await openShop(service, { perMethod: 0 })
  const { token, id } = (await operator.call('POST', `/merchants/${merchantId}/tokens`, { name: 'used' })).body
  type Used = { id: string; name: string; lastUsedAt?: string }
  const lastUse = async (): Promise<string | undefined> => {
    const { tokens } = (await operator.get(`/merchants/${merchantId}/tokens`)).body as { tokens: Used[] }
    return tokens.find((each) => each.id === id)?.lastUsedAt
  }
  const until = async (at: string): Promise<void> => {
    for (let tries = 0; tries < 2000 && (await lastUse()) !== at; tries++) await sleep(5)
    assert.equal(await lastUse(), at)
  }
  assert.equal(await lastUse(), undefined)
  const first = new Date(service.clock.now).toISOString()
  for (let times = 0; times < 3; times++) assert.equal((await useToken(token)).status, 200)
  await until(first)
  service.clock.advance(minute - 1)
  await useToken(token)
  assert.equal(await lastUse(), first)
  service.clock.advance(1)
  await useToken(token)
  const second = new Date(service.clock.now).toISOString()
  await until(second)
  const { tokens } = (await operator.get('/members')).body as { tokens: Used[] }
  assert.equal(tokens.find(({ name }) => name === 'operator')?.lastUsedAt, second)
  assert.equal(tokens.find(({ name }) => name === 'boris')?.lastUsedAt, undefined)
})

test('201: a token has the scopes, addresses and end that were asked for', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { merchantId } = await openShop(service, { perMethod: 0, mode: 'sandbox' })
  const issue = (fields: object) => operator.call('POST', `/merchants/${merchantId}/tokens`, { name: 'x', ...fields })
  const usual = await issue({})
  assert.deepEqual(usual.body.scopes, scopes)
  const writer = await issue({ scopes: ['payments:write'] })
  assertProblem(await useToken(writer.body.token), 403, 'scope_missing')
  const elsewhere = await issue({ allowList: ['203.0.113.7', '2001:db8::/32'] })
  assertProblem(await useToken(elsewhere.body.token), 403, 'address_not_allowed')
  const here = await issue({ allowList: ['127.0.0.0/8', '::1'] })
  assert.equal((await useToken(here.body.token)).status, 200)
  const short = await issue({ expiresAt: new Date(service.clock.now + hour).toISOString() })
  assert.equal((await useToken(short.body.token)).status, 200)
  service.clock.advance(hour)
  assertProblem(await useToken(short.body.token), 401, 'token_expired')
})

test('400: refuses tokens that could never work', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { merchantId } = await openShop(service, { perMethod: 0 })
  const refuse = async (fields: object, ...names: string[]) => {
    const answer = await operator.call('POST', `/merchants/${merchantId}/tokens`, { name: 'x', ...fields })
    assertProblem(answer, 400, 'validation_failed', names)
  }
  await refuse({ allowList: ['1.2.3.4', '1.2.3.4/33', '::1/129'] }, 'allowList.1', 'allowList.2')
  await refuse(
    { allowList: ['host', '1.2.3', '1.2.3.4/', '1.2.3.4/8/8', 'fe80::1%eth0'] },
    ...[0, 1, 2, 3, 4].map((n) => `allowList.${n}`),
  )
  await refuse({ scopes: [] }, 'scopes')
  await refuse({ scopes: ['payments:read', 'payments:read'] }, 'scopes')
  await refuse({ expiresAt: new Date(service.clock.now).toISOString() }, 'expiresAt')
  await refuse({ expiresAt: '2999-01-01' }, 'expiresAt')
})

test('201: a rotated token goes on working until its overlap is over', async () => {
  const service = opened()
  const operator = openOperator(service)
  const { merchantId } = await openShop(service, { perMethod: 0 })
  const first = await operator.call('POST', `/merchants/${merchantId}/tokens`, { name: 'x', scopes: ['payments:read'] })
  const second = await operator.call('POST', `/tokens/${first.body.id}/rotate`, { overlapMs: hour })
  assert.equal(second.status, 201)
  assert.deepEqual(second.body.scopes, ['payments:read'])
  assert.equal((await useToken(first.body.token)).status, 200)
  assert.equal((await useToken(second.body.token)).status, 200)
  assert.ok(!JSON.stringify(await operator.lastAudit()).includes(second.body.token))
  service.clock.advance(hour)
  assertProblem(await useToken(first.body.token), 401, 'token_expired')
  const third = await operator.call('POST', `/tokens/${second.body.id}/rotate`, { overlapMs: 0 })
  assertProblem(await useToken(second.body.token), 401, 'token_revoked')
  assert.equal((await useToken(third.body.token)).status, 200)
  assertProblem(await operator.call('POST', `/tokens/${second.body.id}/rotate`), 409, 'invalid_state')
})

test('200: a revoked token is refused at once', async () => {
  const operator = openOperator(opened())
  const { merchantId } = await openShop(opened(), { perMethod: 0 })
  const issued = await operator.call('POST', `/merchants/${merchantId}/tokens`, { name: 'x' })
  assert.deepEqual((await operator.call('POST', `/tokens/${issued.body.id}/revoke`)).body, { id: issued.body.id })
  assertProblem(await useToken(issued.body.token), 401, 'token_revoked')
  assert.equal((await operator.call('POST', `/tokens/${issued.body.id}/revoke`, {})).status, 200)
})
