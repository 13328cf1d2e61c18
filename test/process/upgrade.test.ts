// A rolling upgrade in PostgreSQL: the release before and today's code on one database.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { demoToken, freePort, spawnService, startProcess } from '../support/process.ts'
import { checkOut, copyToday, findPreviousRelease, nextRelease } from '../support/previous-release.ts'
import { createEmptyPostgres } from '../support/templates.ts'

const server = process.env['TEST_DATABASE_URL']
const withoutServer = server ? false : 'no PostgreSQL on this machine'
const previous = findPreviousRelease()
const withoutPrevious = 'missing' in previous ? `NOT RUN, ${previous.missing}` : false

const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'
const operator = { authorization: `Bearer ${operatorToken}` }

type Node = {
  readonly url: string
  /** Sends a request as the demo merchant and returns the body of a successful answer. */
  call(this: void, path: string, body?: unknown): Promise<{ [key: string]: any }> // oxlint-disable-line typescript/no-explicit-any -- read freely
  end(signal: NodeJS.Signals): Promise<number | null>
}

const startNode = async (environment: Record<string, string>, folder: string): Promise<Node> => {
  const port = await freePort()
  const started = await startProcess({ ...environment, PORT: String(port) }, { folder })
  const token = demoToken(started)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    end: (signal) => started.end(signal),
    call: async (path, body) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      const text = await response.text()
      assert.ok(response.ok, `${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    },
  }
}

/** A payment that one node creates, another one credits, and the first acknowledges; both must then say the same of it. */
const pay = async (orderId: string, creator: Node, payer: Node): Promise<void> => {
  const fields = { type: 'direct', amount: 1000, orderId, currency: 'rub', method: 'sbp' }
  const created = await creator.call('/merchant/payments', fields)
  assert.equal(created['payment'].status, 'new')
  await payer.call(`/sandbox/payments/byOrderId/${orderId}/simulate`, { event: 'paid' })
  const waited = await creator.call(`/merchant/payments/byOrderId/${orderId}/status?wait=10`)
  assert.equal(waited['status'], 'paid')
  const acknowledged = await creator.call('/merchant/payments/byOrderId/ack', { orderId })
  assert.ok(acknowledged['acknowledgedAt'])
  assert.deepEqual(await payer.call('/merchant/payments/byOrderId/ack', { orderId }), acknowledged)
  const details = `/merchant/payments/byOrderId/${orderId}`
  assert.deepEqual(await creator.call(details), await payer.call(details))
}

test(`the release before (${'name' in previous ? previous.name : 'none'}) runs on the schema of today and of tomorrow, next to the new code`, {
  skip: withoutServer || withoutPrevious,
}, async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'payin-upgrade-'))
  const database = await createEmptyPostgres(server ?? '')
  const nodes: Node[] = []
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.end('SIGKILL')))
    await database.drop()
    rmSync(base, { recursive: true, force: true })
  })
  const [before, today] = [join(base, 'before'), join(base, 'today')]
  checkOut('commit' in previous ? previous.commit : '', before)
  copyToday(today, nextRelease)
  const environment = {
    DATABASE_URL: database.url,
    PAYIN_DATA_DIR: join(base, 'data'),
    PAYIN_OPERATOR_TOKEN: operatorToken,
  }
  const start = async (folder: string): Promise<Node> => {
    const node = await startNode(environment, folder)
    nodes.push(node)
    return node
  }
  const old = await start(before)
  await pay('before', old, old)
  const fresh = await start(today)
  await pay('old-to-new', old, fresh)
  await pay('new-to-old', fresh, old)
  assert.equal(await old.end('SIGTERM'), 0)
  const restarted = await start(before)
  await pay('restarted-to-new', restarted, fresh)
  assert.equal(await fresh.end('SIGTERM'), 0)
  await pay('rolled-back', restarted, restarted)
  const response = await fetch(`${restarted.url}/api/v1/operator/doctor`, { headers: operator })
  assert.equal(response.status, 200, await response.clone().text())
  const { checks } = (await response.json()) as { checks: { name: string; broken: number }[] }
  assert.ok(checks.length > 50)
  assert.deepEqual(
    checks.filter((check) => check.broken > 0),
    [],
  )
})

test('migrating can be a step of its own, without which a process says what it lacks', {
  skip: withoutServer,
}, async (t) => {
  const database = await createEmptyPostgres(server ?? '')
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-upgrade-'))
  t.after(async () => {
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const environment = { DATABASE_URL: database.url, PAYIN_DATA_DIR: dataDir, PORT: '0' }
  const refused = spawnService({ ...environment, PAYIN_MIGRATE: 'off' })
  await once(refused.child, 'exit')
  assert.equal(refused.child.exitCode, 1)
  assert.match(
    refused.errors(),
    /^Payin cannot start: The database lacks migrations .*\(0001_service\.sql, .*PAYIN_MIGRATE=off/m,
  )
  const migrated = spawnService({ ...environment, PAYIN_MIGRATE: 'only' })
  await once(migrated.child, 'exit')
  assert.equal(migrated.child.exitCode, 0)
  assert.match(migrated.output(), /^Applied 0001_service\.sql, /)
})
