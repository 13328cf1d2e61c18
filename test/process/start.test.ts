import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort, spawnService, startProcess } from '../support/process.ts'
import { engines } from '../support/service.ts'
import { cloneEmbedded, createEmptyPostgres } from '../support/templates.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..', '..')
const server = process.env['TEST_DATABASE_URL']

type Answer = { readonly status: number; readonly body: { [key: string]: any } } // oxlint-disable-line typescript/no-explicit-any -- read freely

const client =
  (port: number, token: string) =>
  async (path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/merchant${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }

const tokenOf = (banner: string): string => /payin_test_\w+/.exec(banner)?.[0] ?? ''

for (const engine of engines) {
  const skip = engine === 'postgres' && !server ? 'no PostgreSQL on this machine' : false
  test(`the printed curl creates a payment that is paid, and a kill -9 loses nothing [${engine}]`, {
    skip,
  }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'payin-start-'))
    const database = engine === 'postgres' && server ? await createEmptyPostgres(server) : undefined
    const port = await freePort()
    const environment = {
      PORT: String(port),
      PAYIN_DATA_DIR: dataDir,
      ...(database ? { DATABASE_URL: database.url } : {}),
    }
    const started = [await startProcess(environment)]
    t.after(async () => {
      for (const each of started) await each.end('SIGKILL')
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const banner = started[0]?.output() ?? ''
    const command = banner.slice(banner.indexOf('curl'), banner.indexOf('\n\nOpen'))
    const { stdout } = await run('sh', ['-c', command])
    const created = JSON.parse(stdout)
    assert.equal(created.payment.status, 'new')
    const call = client(port, tokenOf(banner))
    const waited = await call('/payments/byOrderId/order-1/status?wait=10')
    assert.equal(waited.body['status'], 'paid')
    const acknowledged = await call('/payments/byOrderId/ack', { orderId: 'order-1' })
    assert.equal(acknowledged.status, 200)

    // Under load, every payment whose creation was answered must be there after the kill.
    const answered: string[] = []
    const load = Array.from({ length: 8 }, async (_, worker) => {
      for (let index = 0; index < 500; index++) {
        const orderId = `load-${worker}-${index}`
        const fields = { type: 'direct', amount: 2000 + index, orderId, currency: 'rub', method: 'sbp' }
        const answer = await call('/payments', fields).catch(() => undefined)
        if (answer === undefined) return
        if (answer.status === 201) answered.push(orderId)
      }
    })
    while (answered.length < 20) await new Promise((resolve) => setTimeout(resolve, 10))
    await started[0]?.end('SIGKILL')
    await Promise.all(load)
    assert.ok(answered.length < 8 * 500, 'the kill came too late to cut the load')
    started.push(await startProcess(environment))
    assert.equal(tokenOf(started[1]?.output() ?? ''), tokenOf(banner), 'the demo token is printed again')
    for (const orderId of answered)
      assert.equal((await call(`/payments/byOrderId/${orderId}/status`)).status, 200, orderId)
    assert.deepEqual((await call('/payments/byOrderId/ack', { orderId: 'order-1' })).body, acknowledged.body)
    assert.equal(await started[1]?.end('SIGTERM'), 0, 'SIGTERM ends it cleanly')
  })
}

test('six processes that start at once on one database migrate and seed once', {
  skip: server ? false : 'no PostgreSQL on this machine',
}, async (t) => {
  const database = await createEmptyPostgres(server ?? '')
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-start-'))
  const ports = await Promise.all(Array.from({ length: 6 }, freePort))
  const environment = { DATABASE_URL: database.url, PAYIN_DATA_DIR: dataDir }
  const started = await Promise.all(ports.map((port) => startProcess({ ...environment, PORT: String(port) })))
  t.after(async () => {
    await Promise.all(started.map((each) => each.end('SIGKILL')))
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const tokens = new Set(started.map((each) => tokenOf(each.output())))
  assert.equal(tokens.size, 1)
  const [token = ''] = tokens
  const fields = { type: 'direct', amount: 1000, orderId: 'one', currency: 'rub', method: 'sbp' }
  const create = async (port: number): Promise<Answer> => {
    const answer = await client(port, token)('/payments', fields)
    // Six processes may be too much for the machine: then a merchant tries again.
    return answer.body['code'] === 'overloaded' ? create(port) : answer
  }
  const answers = await Promise.all(ports.map(create))
  assert.equal(answers.filter((answer) => answer.status === 201).length, 1)
  assert.equal(answers.filter((answer) => answer.status === 200).length, 5)
  assert.equal(new Set(answers.map((answer) => answer.body['payment'].id)).size, 1)
})

test('npm start passes SIGTERM on, and every request that is on its way is answered', {
  skip: process.platform === 'win32' ? 'no signals on this system' : false,
}, async (t) => {
  const dataDir = await cloneEmbedded()
  const port = await freePort()
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const environment = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    PORT: String(port),
    PAYIN_DATA_DIR: dataDir,
    PAYIN_CONSOLE: 'serve',
  }
  // In a group of its own, whose leader alone gets the signal.
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.after(() => {
    agent.destroy()
    // The whole group: what npm left running.
    if (npm.pid !== undefined) spawnSync('kill', ['-KILL', '--', `-${npm.pid}`])
    rmSync(dataDir, { recursive: true, force: true })
  })
  let printed = ''
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  for (let tries = 0; tries < 600 && !printed.includes('Payin is ready'); tries++) await sleep(50)
  const request = () =>
    new Promise<string>((done) => {
      get({ port, host: '127.0.0.1', path: '/healthz', agent }, (response) => {
        const { statusCode, headers } = response
        response.resume().on('end', () => done(headers.connection === 'close' ? 'last' : String(statusCode)))
      }).on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    })
  const answers = new Map<string, number>()
  // Each connection sends the next request as soon as it is answered, until an answer says that it is the last.
  const load = Array.from({ length: 16 }, async () => {
    for (let answer = '200'; answer === '200'; ) {
      answer = await request()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  })
  await sleep(300)
  npm.kill('SIGTERM')
  await Promise.all(load)
  assert.deepEqual([...answers.keys()].toSorted(), ['200', 'last'])
  let answer = await request()
  for (let tries = 0; tries < 200 && answer !== 'ECONNREFUSED'; tries++) {
    await sleep(50)
    answer = await request()
  }
  assert.equal(answer, 'ECONNREFUSED')
})

test('a port in use is one clear line that says how to fix it', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const dataDir = await cloneEmbedded()
  t.after(() => {
    other.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const started = spawnService({ PORT: String(port), PAYIN_DATA_DIR: dataDir })
  await once(started.child, 'exit')
  assert.equal(started.child.exitCode, 1)
  assert.match(started.errors(), new RegExp(`port ${port} is in use`))
})

test('all wrong settings are reported at once', async () => {
  const started = spawnService({ PORT: 'eighty', PAYIN_ROLES: 'wbe', PAYIN_DATABASE_POLL: '5' })
  await once(started.child, 'exit')
  assert.equal(started.child.exitCode, 1)
  for (const name of ['PORT', 'PAYIN_ROLES', 'PAYIN_DATABASE_POLL'])
    assert.ok(started.errors().includes(name), started.errors())
})

test('a database out of reach is one clear line', async () => {
  const port = await freePort()
  const started = spawnService({
    DATABASE_URL: `postgres://payin@127.0.0.1:${port}/payin`,
    PORT: '0',
    PAYIN_DATA_DIR: mkdtempSync(join(tmpdir(), 'payin-start-')),
  })
  await once(started.child, 'exit')
  assert.equal(started.child.exitCode, 1)
  assert.match(started.errors(), /DATABASE_URL does not answer/)
})
