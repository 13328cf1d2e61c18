import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { announceDeprecations } from '../../src/http/server/announce-deprecations.ts'
import type { App } from '../../src/http/routes/app.ts'
import { collectRoutes } from '../../src/http/openapi/collect-routes.ts'
import { describeOperation } from '../../src/http/openapi/describe-operation.ts'
import { routesForAll } from '../../src/http/routes/routes.ts'

const dates = { since: '2026-12-01', sunset: '2027-12-01', link: 'https://pay.example.com/docs/versions' }
const name = Type.Optional(Type.String({ description: 'A name.' }))

test('what is deprecated is so in the headers, the OpenAPI document and the log, and nothing else is', async () => {
  const app = Fastify() as unknown as App
  const lines: object[] = []
  let now = 0
  const log = { info: (line: unknown) => lines.push(line as object) }
  const collected = collectRoutes(app)
  announceDeprecations(app, { log: log as never, ticks: () => now }, [
    { ...dates, operation: 'readOld', instead: 'Use readNew.' },
    { ...dates, operation: 'write', field: 'old', instead: 'Use new.' },
  ])
  const routes = routesForAll('test', 'merchant')
  routes.get('/old', null, { id: 'readOld', summary: 'Read', answer: { name }, handle: () => ({ name: 'a' }) })
  routes.get('/new', null, { id: 'readNew', summary: 'Read', answer: { name }, handle: () => ({ name: 'a' }) })
  routes.post('/both', null, {
    id: 'write',
    summary: 'Write',
    body: { old: name, new: name },
    answer: { name },
    handle: () => ({}),
  })
  await routes.register(app, null as never)
  const read = await app.inject('/old')
  assert.equal(read.headers['deprecation'], '@1796083200')
  assert.equal(read.headers['sunset'], 'Wed, 01 Dec 2027 00:00:00 GMT')
  assert.equal(read.headers['link'], `<${dates.link}>; rel="deprecation"; type="text/html"`)
  assert.equal((await app.inject('/new')).headers['deprecation'], undefined)
  const write = (payload: object) => app.inject({ method: 'POST', url: '/both', payload })
  assert.equal((await write({ new: 'a' })).headers['deprecation'], undefined)
  assert.equal((await write({ old: 'a' })).headers['deprecation'], '@1796083200')
  await write({ old: 'a' })
  assert.deepEqual(lines, [
    { operation: 'readOld', field: undefined, merchantId: undefined, sunset: '2027-12-01' },
    { operation: 'write', field: 'old', merchantId: undefined, sunset: '2027-12-01' },
  ])
  now += 60_000
  await write({ old: 'a' })
  assert.equal(lines.length, 3)
  const [old, current, both] = collected.map(({ schema }) => JSON.parse(JSON.stringify(describeOperation(schema))))
  assert.equal(old.deprecated, true)
  assert.match(old.description, /^Deprecated since 2026-12-01, and may be gone from 2027-12-01 on\. Use readNew\./)
  assert.equal(current.deprecated, undefined)
  const fields = both.requestBody.content['application/json'].schema.properties
  assert.deepEqual([fields.old.deprecated, fields.new.deprecated], [true, undefined])
  assert.equal(
    fields.old.description,
    'A name. Deprecated since 2026-12-01, and may be gone from 2027-12-01 on. Use new.',
  )
  await app.close()
})
