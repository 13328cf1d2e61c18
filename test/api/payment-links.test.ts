// Payment links and their operations (docs/domain.md §3.9).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../../src/rules/time.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const { onEngines, opened } = shareEngines()

const course = { title: 'Pottery course', currency: 'rub', amount: 5000.37 }

onEngines('a merchant creates, lists, reads and closes its links', async (service) => {
  const shop = await openShop(service)
  const { status, body: link } = await shop.post('/links', { ...course, metadata: { group: 'b' } })
  assert.equal(status, 201)
  const { id, url, createdAt, ...rest } = link
  assert.match(url, /^http:\/\/payin\.test\/l\/[\w-]{44}$/)
  assert.deepEqual(rest, {
    ...{ state: 'open', ...course, uses: 'once', payments: { paid: 0, underWay: 0 } },
    ...{ metadata: { group: 'b' }, createdBy: 'token' },
  })
  assert.deepEqual((await shop.get(`/links/${id}`)).body, link)
  const open = { title: 'Donation', currency: 'rub', uses: 'many', maxUses: 30, minAmount: 100, maxAmount: 9000 }
  const second = (await shop.post('/links', open)).body
  assert.deepEqual([second.uses, second.maxUses, second.minAmount, second.amount], ['many', 30, 100, undefined])
  const page = await shop.get('/links?limit=1')
  assert.deepEqual(page.body.links, [second])
  assert.deepEqual((await shop.get(`/links?cursor=${page.body.nextCursor}`)).body, { links: [link] })
  const closed = await shop.post(`/links/${id}/close`, {})
  assert.equal(closed.body.state, 'closed')
  assert.deepEqual((await shop.post(`/links/${id}/close`, {})).body, closed.body)
  assert.deepEqual((await shop.get('/links?state=closed')).body.links, [closed.body])
  assert.deepEqual((await shop.get('/links?state=open')).body.links, [second])
  service.clock.advance(hour)
  assert.equal(createdAt, (await shop.get(`/links/${id}`)).body.createdAt)
})

test('a link ends at its time, and nobody else sees it', async () => {
  const service = opened()
  const shop = await openShop(service)
  const endsAt = new Date(service.clock.now + hour).toISOString()
  const { body: link } = await shop.post('/links', { ...course, endsAt })
  assert.equal(link.endsAt, endsAt)
  const other = await openShop(service)
  assertProblem(await other.get(`/links/${link.id}`), 404, 'resource_not_found')
  assertProblem(await other.post(`/links/${link.id}/close`, {}), 404, 'resource_not_found')
  assert.deepEqual((await other.get('/links')).body, { links: [] })
  service.clock.advance(hour)
  assert.deepEqual(
    (await shop.get('/links?state=ended')).body.links.map(({ state }: { state: string }) => state),
    ['ended'],
  )
  const reader = await openShop(service, { scopes: ['payments:read'] })
  assertProblem(await reader.post('/links', course), 403, 'scope_missing')
})

for (const [title, fields, status, code, field] of [
  ['an amount below the limit', { amount: 99 }, 422, 'amount_below_min', 'amount'],
  ['a bound above the limit', { amount: undefined, maxAmount: 300_001 }, 422, 'amount_above_max', 'maxAmount'],
  ['too many decimals', { amount: 100.001 }, 422, 'amount_precision', 'amount'],
  ['an unknown currency', { currency: 'xts' }, 422, 'currency_not_supported', 'currency'],
  ['bounds of a fixed amount', { minAmount: 200 }, 400, 'validation_failed', 'minAmount'],
  ['crossed bounds', { amount: undefined, minAmount: 500, maxAmount: 400 }, 400, 'validation_failed', 'minAmount'],
  ['uses of a link for once', { maxUses: 5 }, 400, 'validation_failed', 'maxUses'],
  ['one use of many', { uses: 'many', maxUses: 1 }, 400, 'validation_failed', 'maxUses'],
  ['an end in the past', { endsAt: '2020-01-01T00:00:00.000Z' }, 400, 'validation_failed', 'endsAt'],
  ['a foreign return address', { returnUrl: 'https://elsewhere.example' }, 400, 'validation_failed', 'returnUrl'],
] as const)
  test(`${status}: a link with ${title} is refused`, async () => {
    const shop = await openShop(opened())
    const answer = await shop.post('/links', { ...course, ...fields })
    assertProblem(answer, status, code)
    assert.equal(answer.body.errors[0].field, field)
  })

onEngines('an operator creates and closes links of a merchant, audited, and lists those of all', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  const path = `/merchants/${shop.merchantId}/links`
  const { status, body: link } = await operator.call('POST', path, { ...course, method: 'sbp' })
  assert.equal(status, 201)
  assert.equal(link.createdBy, 'operator')
  const created = await operator.lastAudit()
  assert.deepEqual([created.action, created.subject], ['link.create', `link:${link.id}`])
  assert.equal(created.details['title'], course.title)
  assert.deepEqual((await shop.get(`/links/${link.id}`)).body, link)
  assert.deepEqual((await operator.get(`${path}/${link.id}`)).body, link)
  assert.deepEqual((await operator.get(path)).body, { links: [link] })
  const all = await operator.get(`/links?merchantId=${shop.merchantId}&state=open`)
  assert.deepEqual([all.body.links[0].id, all.body.links[0].merchantId], [link.id, shop.merchantId])
  assert.equal((await operator.call('POST', `${path}/${link.id}/close`)).body.state, 'closed')
  assert.equal((await operator.lastAudit()).action, 'link.close')
  assertProblem(await operator.get(`/merchants/${unknownId}/links`), 404, 'resource_not_found')
  assertProblem(await operator.get(`${path}/${unknownId}`), 404, 'resource_not_found')
  const auditor = openOperator(service, 'vera')
  assert.equal((await auditor.get(path)).status, 200)
  assertProblem(await auditor.call('POST', path, course), 403, 'role_missing')
})
