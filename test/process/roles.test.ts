// Two processes on one PostgreSQL, one that answers requests and one that runs the jobs, and how each stops.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoToken, freePort, startProcess } from '../support/process.ts'
import { clonePostgres } from '../support/templates.ts'
import { goesOn, until, within } from '../support/waiting.ts'

const server = process.env['TEST_DATABASE_URL']
const skip = server ? false : 'no PostgreSQL on this machine'
/** Long enough for a busy machine to answer what is asked meanwhile. */
const drainMs = 6000

const statusOf = async (url: string): Promise<number | undefined> =>
  (await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined))?.status

test('one web and one worker: each does its part, says whether it is ready, and stops in order', {
  skip,
}, async (t) => {
  const database = await clonePostgres(server ?? '')
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-roles-'))
  const [port, webMetrics, workerMetrics] = await Promise.all([freePort(), freePort(), freePort()])
  const shared = {
    DATABASE_URL: database.url,
    PAYIN_DATA_DIR: dataDir,
    PORT: String(port),
    PAYIN_DRAIN_MS: String(drainMs),
  }
  const start = (role: string, metrics: number) =>
    startProcess({ ...shared, PAYIN_ROLES: role, PAYIN_METRICS_PORT: String(metrics) })
  const web = await start('web', webMetrics)
  const worker = await start('worker', workerMetrics)
  t.after(async () => {
    await Promise.all([web.end('SIGKILL'), worker.end('SIGKILL')])
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const base = `http://127.0.0.1:${port}`
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${demoToken(web)}`, 'content-type': 'application/json' }
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    return fetch(`${base}/api/v1/merchant${path}`, { headers, ...init, signal: AbortSignal.timeout(30_000) })
  }
  /** An amount that the sandbox pays after two seconds, by a job. */
  const create = (orderId: string) =>
    call('/payments', { type: 'direct', amount: 1000.01, orderId, currency: 'rub', method: 'sbp' })
  const readBody = async (answer: Response) => (await answer.json()) as { status?: string; redirectUrl?: string }
  const statusAfter = async (orderId: string, wait: number) =>
    (await readBody(await call(`/payments/byOrderId/${orderId}/status?wait=${wait}`))).status
  /** A process that is not done in time ends with another code. */
  const stopped = async (signalled: typeof web): Promise<void> =>
    assert.equal(await signalled.end('SIGTERM'), 0, signalled.errors().slice(-2000))

  assert.match(worker.output(), /Payin is ready \(worker only\)/)
  assert.deepEqual(
    await Promise.all([webMetrics, workerMetrics].map((each) => statusOf(`http://127.0.0.1:${each}/readyz`))),
    [200, 200],
  )
  const scrape = async (metrics: number) => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
  assert.match(await scrape(workerMetrics), /^payin_job_rounds_total\{/m)
  assert.doesNotMatch(await scrape(webMetrics), /^payin_(?:job_rounds_total|waiting_items)\{/m)
  assert.equal((await create('with-worker')).status, 201)
  assert.equal(await statusAfter('with-worker', 20), 'paid')

  // The worker says so while it stops, and what it did is left undone until there is another.
  const ending = stopped(worker)
  const isWorkerStopping = async () => (await statusOf(`http://127.0.0.1:${workerMetrics}/readyz`)) === 503
  await until('the worker says that it stops', isWorkerStopping)
  await within('the worker has stopped', ending, 60_000)
  const { redirectUrl = '' } = await readBody(await create('without-worker'))
  assert.equal(await statusAfter('without-worker', 4), 'new')

  // The web process answers while it drains, ends what waits, and is gone after.
  const waiting = call('/payments/byOrderId/without-worker/status?wait=25')
  const stream = await fetch(`${base}${new URL(redirectUrl).pathname}/events`)
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  await sleep(300)
  const webEnding = stopped(web)
  const isDraining = goesOn(webEnding, drainMs)
  const streamEnd = stream.text()
  assert.equal((await waiting).status, 200)
  await streamEnd
  await until('the web process says that it stops', async () => (await statusOf(`${base}/readyz`)) === 503)
  const late = await create('while-draining')
  assert.deepEqual([late.status, late.headers.get('connection')], [201, 'close'])
  assert.ok(await isDraining, 'gone before the end of its drain')
  await within('the web process has stopped', webEnding, 60_000)
  assert.equal(await statusOf(`${base}/readyz`), undefined)
})
