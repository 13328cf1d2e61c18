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
import { exitCodes } from '../../src/process/start-failure.ts'
import { type Node, openPlace, tryCall } from '../support/cluster.ts'
import { startMerchantLoad } from '../support/merchant-load.ts'
import { freePort, spawnService, startProcess } from '../support/process.ts'
import { type Engine, engines, usualEngine } from '../support/service.ts'
import { cloneEmbedded, createEmptyPostgres } from '../support/templates.ts'
import { randomFrom } from '../support/random.ts'
import type { Answer } from '../support/shop.ts'
import { openSightings } from '../support/torture.ts'
import { until } from '../support/waiting.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..', '..')
const server = process.env['TEST_DATABASE_URL']

const tokenOf = (banner: string): string => /payin_test_\w+/.exec(banner)?.[0] ?? ''

/** How many processes start at once. */
const processesOn: Readonly<Record<Engine, number>> = { embedded: 1, postgres: 4 }

const startNode = async (environment: Record<string, string>): Promise<Node> => {
  const port = String(await freePort())
  let started = await startProcess({ ...environment, PORT: port })
  return {
    roles: 'web,worker',
    url: `http://127.0.0.1:${port}`,
    process: () => started,
    kill: async () => void (await started.end('SIGKILL')),
    start: async () => {
      started = await startProcess({ ...environment, PORT: port })
    },
  }
}

for (const engine of engines) {
  const count = processesOn[engine]
  const skip = engine === 'postgres' && !server ? 'no PostgreSQL on this machine' : false
  test(`${count} starting at once migrate and seed once, the printed curl creates a payment that is paid, and a kill -9 under load loses nothing [${engine}]`, {
    skip,
  }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'payin-start-'))
    const database = engine === 'postgres' && server ? await createEmptyPostgres(server) : undefined
    const environment = { PAYIN_DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) }
    const nodes = await Promise.all(Array.from({ length: count }, () => startNode(environment)))
    const [first] = nodes as [Node]
    t.after(async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const banner = first.process().output()
    const token = tokenOf(banner)
    assert.deepEqual(new Set(nodes.map((node) => tokenOf(node.process().output()))), new Set([token]))
    const migrated = nodes.flatMap(
      (node) =>
        node
          .process()
          .errors()
          .match(/[^"]* (is|are) applied[^"]*/g) ?? [],
    )
    assert.equal(migrated.length, 1, `one line says that the database was made: ${migrated.join()}`)
    const { stdout } = await run('sh', ['-c', banner.slice(banner.indexOf('curl'), banner.indexOf('\n\nOpen'))])
    assert.equal(JSON.parse(stdout).payment.status, 'new')
    const call = (path: string, body?: unknown) => tryCall(first, token, `/payments/byOrderId/${path}`, body, 20_000)
    const waited = await call('order-1/status?wait=10')
    assert.equal(waited?.body['status'], 'paid')
    const acknowledged = await call('ack', { orderId: 'order-1' })
    assert.equal(acknowledged?.status, 200)

    const fields = { type: 'direct', amount: 1000, orderId: 'one', currency: 'rub', method: 'sbp' }
    const create = async (node: Node): Promise<Answer | undefined> => {
      const answer = await tryCall(node, token, '/payments', fields)
      // Several processes may be too much for the machine: then a merchant tries again.
      return answer?.body.code === 'overloaded' ? create(node) : answer
    }
    const answers = await Promise.all(nodes.map(create))
    assert.equal(answers.filter((answer) => answer?.status === 201).length, 1)
    assert.equal(answers.filter((answer) => answer?.status === 200).length, count - 1)
    assert.equal(new Set(answers.map((answer) => answer?.body.payment.id)).size, 1)

    const seen = openSightings()
    const load = startMerchantLoad({ web: nodes, token }, randomFrom(1), seen)
    await load.proceed(30)
    await first.kill()
    await Promise.all([first.start(), load.stop()])
    assert.deepEqual([await load.findLost(), load.wrong], [[], []])
    seen.assertSeen('created', 'no answer')
    assert.equal(tokenOf(first.process().output()), token, 'the demo token is printed again')
    assert.deepEqual((await call('ack', { orderId: 'order-1' }))?.body, acknowledged?.body)
    assert.equal(await first.process().end('SIGTERM'), 0, 'SIGTERM ends it cleanly')
  })
}

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
  assert.equal(await request(), '200')
  const answers = new Map<string, number>()
  // Each connection sends the next request as soon as it is answered, until an answer says that it is the last.
  const answered = Array.from({ length: 16 }, () => 0)
  const load = answered.map(async (_, client) => {
    for (let answer = '200'; answer === '200'; ) {
      answer = await request()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      answered[client] = (answered[client] ?? 0) + 1
    }
  })
  // A connection that the process has not accepted yet is refused, not cut: by then it has accepted all of them.
  await until('every client is under way', () => answered.every((times) => times >= 3), 60_000)
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
  const place = await openPlace(usualEngine())
  t.after(async () => {
    other.close()
    await place.drop()
  })
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const started = spawnService({ ...place.environment, PORT: String(port) })
  await once(started.child, 'exit')
  assert.equal(started.child.exitCode, 1)
  assert.match(started.errors(), new RegExp(`port ${port} is in use`))
})

test('all wrong settings are reported at once', async () => {
  const started = spawnService({ PORT: 'eighty', PAYIN_ROLES: 'wbe', PAYIN_DATABASE_POLL: '5' })
  await once(started.child, 'exit')
  assert.equal(started.child.exitCode, exitCodes.misconfigured)
  for (const name of ['PORT', 'PAYIN_ROLES', 'PAYIN_DATABASE_POLL'])
    assert.ok(started.errors().includes(name), started.errors())
})

test('wrong settings are reported in the language of the service', async () => {
  const started = spawnService({ PAYIN_LANGUAGE: 'ru', PORT: 'eighty', PAYIN_DEMO: 'true' })
  await once(started.child, 'exit')
  assert.equal(started.child.exitCode, exitCodes.misconfigured)
  const [first, ...faults] = started.errors().trimEnd().split('\n')
  assert.equal(first, 'Payin не может запуститься; исправьте эти настройки:')
  assert.deepEqual(faults, [
    '  PORT не целое число от 0 до 65535 (указано "eighty"): исправьте или удалите, тогда будет 8080',
    '  PAYIN_DEMO не on и не off (указано "true"): исправьте или удалите, тогда будет on',
  ])
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
  assert.match(started.errors(), new RegExp(`nothing accepts connections at 127.0.0.1:${port} .*in DATABASE_URL`))
})

test('an address of the database with a wrong port or a missing certificate is refused without another attempt', async () => {
  const cases = [
    ['127.0.0.1:bad/payin', /DATABASE_URL is not an address/],
    ['127.0.0.1/payin?sslmode=verify-full&sslrootcert=/missing/ca.pem', /sslrootcert of DATABASE_URL.*Name a file/],
  ] as const
  for (const [address, says] of cases) {
    const started = spawnService({
      DATABASE_URL: `postgres://payin@${address}`,
      PORT: '0',
      PAYIN_DATA_DIR: mkdtempSync(join(tmpdir(), 'payin-start-')),
    })
    await once(started.child, 'exit')
    assert.equal(started.child.exitCode, exitCodes.misconfigured)
    assert.match(started.errors(), says)
    assert.doesNotMatch(started.errors(), /tried again/)
  }
})
