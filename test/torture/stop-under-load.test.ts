// R9: SIGTERM while requests are on their way, polls wait and streams are open. Every request gets its answer.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Node, openCluster, tryCall } from '../support/cluster.ts'
import { randomFrom } from '../support/random.ts'
import { type Engine, engines } from '../support/service.ts'
import { countOf, openSightings, repeat, seedOf, skipsControl, type Sightings } from '../support/torture.ts'
import { until, within } from '../support/waiting.ts'

const count = countOf(3)
const seed = seedOf()
const clients = 12
const exitWithinMs = 10_000

type Call = { readonly path: string; readonly token?: string; readonly body?: object }

/** How a request ended: its status, `last` where the connection closes with it, or the error that cut it. */
const outcomeOf = (node: Node, agent: Agent, { path, token, body }: Call): Promise<string> =>
  new Promise((done) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers: Record<string, string> = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    }
    const sent = request(
      `${node.url}${path}`,
      { agent, headers, method: text === undefined ? 'GET' : 'POST' },
      (answer) => {
        const { statusCode, headers: received } = answer
        answer.resume()
        answer.on('end', () => done(received.connection === 'close' ? 'last' : String(statusCode)))
        answer.on('error', () => done('cut in the answer'))
      },
    )
    sent.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    sent.end(text)
  })

const merchant = '/api/v1/merchant/payments'

/** One stop under load; gives how requests ended, and the time until the process was gone. */
const stopOnce = async (engine: Engine, signal: 'SIGTERM' | 'SIGKILL', seen: Sightings, round: number) => {
  await using cluster = await openCluster(engine, ['web,worker'])
  const [node] = cluster.nodes as [Node]
  const random = randomFrom(seed + round)
  const { token } = cluster
  const order = (orderId: string) => ({
    type: 'direct',
    amount: 1000.37 + random(100_000),
    orderId,
    currency: 'rub',
    method: 'sbp',
  })
  const created = await tryCall(node, token, '/payments', order('waits'))
  const page = new URL(created?.body.redirectUrl).pathname
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const waiting = [
    outcomeOf(node, agent, { path: `${merchant}/byOrderId/waits/status?wait=60`, token }),
    outcomeOf(node, agent, { path: `${page}/events` }),
  ].map(async (outcome) => seen.note(`waiting: ${await outcome}`))
  let orders = 0
  const answered = Array.from({ length: clients }, () => 0)
  // Each sends the next request as soon as it is answered, until an answer says that it is the last.
  const load = answered.map(async (_, client) => {
    for (let outcome = ''; !/^(last|E|cut|socket)/.test(outcome); seen.note(outcome)) {
      outcome = await outcomeOf(node, agent, { path: merchant, token, body: order(`order-${++orders}`) })
      answered[client] = (answered[client] ?? 0) + 1
    }
  })
  // A connection that the process has not accepted yet is refused, not cut: by then it has accepted all of them.
  await until('every client is under way', () => answered.every((times) => times >= 3), 60_000)
  await sleep(random(500))
  const startedAt = performance.now()
  const exitCode = await within('the process has ended', node.process().end(signal), exitWithinMs)
  const tookMs = performance.now() - startedAt
  await Promise.all([...load, ...waiting])
  agent.destroy()
  return { exitCode, tookMs }
}

// A connection that was never made is not a request that was cut.
const failures = (seen: Sightings): string[] =>
  seen
    .text()
    .split(', ')
    .filter((each) => /^(waiting: )?(ECONNRESET|EPIPE|cut|socket|5)/.test(each))

const hasServer = Boolean(process.env['TEST_DATABASE_URL'])

/** In `npm test` one engine is enough: `npm start` stops on the embedded one under load in test/process/start.test.ts. */
const reasonToSkip: Readonly<Record<Engine, string | false>> = {
  embedded: hasServer && skipsControl(),
  postgres: hasServer ? false : 'no PostgreSQL on this machine',
}

for (const engine of engines) {
  const skip = reasonToSkip[engine]
  test(`R9: ${count} times SIGTERM under load fails no request [${engine}]`, { skip }, async () => {
    const seen = openSightings()
    let slowestMs = 0
    const round = async (index: number): Promise<void> => {
      const { exitCode, tookMs } = await stopOnce(engine, 'SIGTERM', seen, index)
      assert.deepEqual([exitCode, failures(seen)], [0, []], `seed ${seed}, round ${index}: ${seen.text()}`)
      slowestMs = Math.max(slowestMs, tookMs)
    }
    const stops = await repeat('R9', count, round, () => seen.text())
    console.log(`R9 ${engine} seed ${seed}: ${stops} stops, slowest exit ${Math.round(slowestMs)} ms; ${seen.text()}`)
    seen.assertSeen('201', 'last', 'waiting: last')
  })
}

test('R9, control: SIGKILL under load fails requests', { skip: skipsControl() }, async () => {
  const seen = openSightings()
  await stopOnce('embedded', 'SIGKILL', seen, 0)
  assert.notDeepEqual(failures(seen), [])
})
