// The encryption keys are changed under load, on two processes, and both are killed in between.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { v7 } from 'uuid'
import { createVault } from '../../src/secrets/vault.ts'
import { demoToken, freePort, type StartedProcess, startProcess } from '../support/process.ts'
import { runPayin } from '../support/run-payin.ts'
import { clonePostgres } from '../support/templates.ts'
import { until } from '../support/waiting.ts'

const server = process.env['TEST_DATABASE_URL']
const count = Number(process.env['PAYIN_TEST_COUNT'] ?? 0)
const withoutServer = server ? false : 'no PostgreSQL on this machine'
const skip = count === 0 ? 'npm run test:torture -- rotation' : withoutServer
const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'
const blocks = 10_000

/** Blocks of payers, sealed with a key: many rows that no money depends on. */
const addBlocks = async (client: pg.Client, key: Buffer): Promise<void> => {
  const vault = createVault([{ id: 'k1', key }])
  const rows = Array.from({ length: blocks }, (_, index) => {
    const [id, value] = [v7(), String(79_000_000_000 + index)]
    const sealed = vault.encrypt(value, { table: 'risk_blocks', column: 'value_sealed', row: id })
    return { id, index: vault.blindIndex('payer', value), sealed }
  })
  await client.query(
    `insert into risk_blocks (id, kind, payer_index, value_sealed, value_masked, reason, created_by, created_at)
      select id, 'phone', payer_index, sealed, 'x', 'test', 'test', now()
      from unnest($1::uuid[], $2::text[], $3::text[]) as input (id, payer_index, sealed)`,
    [rows.map(({ id }) => id), rows.map(({ index }) => index), rows.map(({ sealed }) => sealed)],
  )
}

const rotateUnderLoad = async (t: TestContext): Promise<void> => {
  const database = await clonePostgres(server ?? '')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-rotation-'))
  const [key1, key2] = [randomBytes(32), randomBytes(32)]
  const k1 = `k1:${key1.toString('base64')}`
  const k2 = `k2:${key2.toString('base64')}`
  const ports = [await freePort(), await freePort()]
  const nodes: (StartedProcess | undefined)[] = []
  const start = async (node: number, keys: string): Promise<StartedProcess> => {
    await nodes[node]?.end('SIGTERM')
    const started = await startProcess({
      ...{ DATABASE_URL: database.url, PAYIN_DATA_DIR: dataDir, PORT: String(ports[node]) },
      ...{ PAYIN_ENCRYPTION_KEYS: keys, PAYIN_OPERATOR_TOKEN: operatorToken, PAYIN_LOG_LEVEL: 'warn' },
    })
    nodes[node] = started
    return started
  }
  const payin = async (...words: string[]) => {
    const environment = { PAYIN_URL: `http://127.0.0.1:${ports[0]}`, PAYIN_OPERATOR_TOKEN: operatorToken }
    return runPayin(words, { environment })
  }
  const first = await start(0, k1)
  const token = demoToken(first)
  let isLoading = true
  t.after(async () => {
    isLoading = false
    for (const node of nodes) await node?.end('SIGKILL')
    await client.end()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await start(1, k1)
  await addBlocks(client, key1)

  const ask = async (node: number, path: string, body?: object): Promise<Response | undefined> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const url = `http://127.0.0.1:${ports[node]}/api/v1/merchant${path}`
    return fetch(url, { headers, ...init, signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  }
  const created = new Map<string, string>()
  const wrong: string[] = []
  /** Creates at either node, repeated until one answers; the simulated bank pays each, with a sender, after two seconds. */
  const load = async (worker: number): Promise<void> => {
    for (let order = 0; isLoading; order++) {
      const orderId = `order-${worker}-${order}`
      const amount = 1000 + ((order * 7 + worker * 13_007) % 60_000) + 0.01
      const body = { type: 'direct', amount, orderId, currency: 'rub', method: 'sbp' }
      for (let tries = 0; isLoading && tries < 300; tries++) {
        const answer = await ask((worker + tries) % 2, '/payments', body)
        if (answer?.status === 201 || answer?.status === 200) {
          created.set(orderId, ((await answer.json()) as { redirectUrl: string }).redirectUrl)
          break
        }
        if (answer && ![408, 429, 503].includes(answer.status)) wrong.push(`${answer.status} ${await answer.text()}`)
        await sleep(50)
      }
      await sleep(20)
    }
  }
  const loads = [load(0), load(1)]
  // A new key is first one that all can open with, and then the one that seals.
  for (const keys of [`${k1},${k2}`, `${k2},${k1}`]) for (const node of [0, 1]) await start(node, keys)
  const before = created.size
  assert.ok(before > 20, `only ${before} payments were created`)
  const started = await payin('keys', 'rotate')
  assert.equal(started.code, 0, started.error)
  const renewed = async (): Promise<number> =>
    Number((await client.query(`select count(*) from risk_blocks where value_sealed like 'v1.k2.%'`)).rows[0].count)
  for (let waited = 0; (await renewed()) === 0; waited += 10) {
    assert.ok(waited < 120_000, 'the rotation does not begin')
    await sleep(10)
  }
  await nodes[1]?.end('SIGKILL')
  await nodes[0]?.end('SIGKILL')
  const atKill = await renewed()
  t.diagnostic(`killed when ${atKill} of ${blocks} rows were renewed, with ${created.size} payments`)
  assert.ok(atKill > 0 && atKill < blocks, `${atKill} rows were renewed when the processes were killed`)
  for (const node of [0, 1]) await start(node, `${k2},${k1}`)
  const isDone = async () => (await payin('keys', 'status')).out.includes('Everything was sealed with k2')
  await until('everything is sealed with the new key', isDone, 300_000)
  assert.match((await payin('keys', 'status')).out, /k1 is not needed: remove it/)
  for (const node of [0, 1]) await start(node, k2)
  isLoading = false
  await Promise.all(loads)
  assert.deepEqual(wrong, [])
  assert.ok(created.size > before)

  assert.equal(await renewed(), blocks)
  for (const [orderId, redirectUrl] of created) {
    assert.equal((await ask(0, `/payments/byOrderId/${orderId}/status`))?.status, 200, orderId)
    assert.equal((await fetch(`http://127.0.0.1:${ports[1]}${new URL(redirectUrl).pathname}`)).status, 200, orderId)
  }
  const block = ['risk', 'block', 'phone', '+79000000007', '--reason', 'again']
  assert.match((await payin(...block)).error, /blocked already/)
  const doctor = await payin('doctor')
  assert.equal(doctor.code, 0, doctor.out)
  t.diagnostic(`${created.size} payments, all there`)
}

const title = 'a rotation under load, with both processes killed in the middle, loses nothing'
for (let round = 1; round <= Math.max(1, count); round++)
  test(`${title} (${round})`, { skip, timeout: 900_000 }, rotateUnderLoad)
