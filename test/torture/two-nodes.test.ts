// Two web nodes and a worker in production settings on PostgreSQL, behind HAProxy with the example of deploy/: every node is
// replaced, one after the other, under a load of creates and polls, and no request fails.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, type Node, openClusterIn, openPlace, tryCall } from '../support/cluster.ts'
import { startMerchantLoad } from '../support/merchant-load.ts'
import { type StartedProxy, startProxy, withoutProxy } from '../support/proxies.ts'
import { oneOf, randomFrom } from '../support/random.ts'
import { commandsOf, openSandboxShop } from '../support/sandbox-shop.ts'
import { countOf, isTorture, openSightings, repeat, seedOf, type Sightings, skipsControl } from '../support/torture.ts'

const count = countOf(1)
const seed = seedOf()
const [writers, pollers] = [12, 8]
const checkMs = 2000
const production = () => ({
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://pay.example.com',
  PAYIN_TRUST_PROXY: '127.0.0.1',
  PAYIN_DRAIN_MS: '5000',
  PAYIN_LOG_LEVEL: 'warn',
  PAYIN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PAYIN_OPERATOR_TOKEN: randomBytes(32).toString('hex'),
})

const server = process.env['TEST_DATABASE_URL'] ? undefined : 'no PostgreSQL on this machine'
const skip = skipsControl() || (server ?? withoutProxy('haproxy') ?? false)

/** The state of each node, as HAProxy has found it: `UP`, `DOWN`, `UP 1/2` … */
const statesOf = (proxy: StartedProxy): Promise<string[]> =>
  new Promise((done, fail) => {
    let text = ''
    const socket = connect(`${proxy.folder}/admin.sock`, () => socket.end('show stat\n'))
    socket.setEncoding('utf8').on('data', (part: string) => (text += part))
    socket.on('error', fail)
    const states = (): string[] => {
      const rows = text.split('\n').map((line) => line.split(','))
      return rows.filter(([, name]) => /^node\d+$/.test(name ?? '')).map((columns) => columns[17] ?? '')
    }
    socket.on('close', () => done(states()))
  })

const awaitUp = async (proxy: StartedProxy): Promise<void> => {
  let states: string[] = []
  for (let waited = 0; waited < 60_000; waited += 100) {
    states = await statesOf(proxy)
    if (states.every((state) => state === 'UP')) return
    await sleep(100)
  }
  assert.fail(`HAProxy finds the nodes ${states.join(', ')}`)
}

type World = { readonly cluster: Cluster; readonly proxy: StartedProxy; readonly doctor: () => Promise<void> }

const withWorld = async (work: (world: World) => Promise<void>): Promise<void> => {
  const place = await openPlace('postgres')
  const settings = production()
  const environment = { ...place.environment, ...settings }
  await using cluster = await openClusterIn({ ...place, environment }, ['web', 'web', 'worker'])
  const nodes = cluster.web.map(({ url }) => new URL(url).host)
  const proxy = await startProxy('haproxy', nodes)
  try {
    await awaitUp(proxy)
    const run = commandsOf({ url: cluster.web[0]?.url ?? '', operatorToken: settings.PAYIN_OPERATOR_TOKEN })
    const token = await openSandboxShop(run)
    await work({ cluster: { ...cluster, token }, proxy, doctor: async () => void (await run('doctor')) })
  } finally {
    await proxy.stop()
  }
}

/** Polls of merchants: each waits up to three seconds for a change of one of the last payments. */
const startPolls = (proxy: StartedProxy, token: string, answered: () => number, seen: Sightings) => {
  let isStopping = false
  let slowestMs = 0
  const poll = async (index: number): Promise<void> => {
    while (!isStopping) {
      const orderId = `load-${Math.max(1, answered() - index * 7)}`
      const startedAt = performance.now()
      const answer = await tryCall(proxy, token, `/payments/byOrderId/${orderId}/status?wait=3`)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      // An order of that number may not be there yet.
      seen.note(answer && [200, 404].includes(answer.status) ? 'polled' : `poll: ${answer?.status ?? 'no answer'}`)
      if (answer?.status === 404) await sleep(50)
    }
  }
  const running = Array.from({ length: pollers }, (_, index) => poll(index))
  return {
    slowestMs: () => slowestMs,
    stop: async () => {
      isStopping = true
      await Promise.all(running)
    },
  }
}

const fine = new Set(['created', 'acknowledged', 'canceled', 'polled'])

/** What went wrong, and how often. */
const failuresIn = (seen: Sightings): string[] =>
  seen
    .text()
    .split(', ')
    .filter((each) => !fine.has(each.replace(/ \d+$/, '')))

/** Replaces every node under load by `stop`; gives what failed, and what was lost. */
const replaceAll = async (world: World, index: number, seen: Sightings, stop: (node: Node) => Promise<void>) => {
  const { cluster, proxy } = world
  const random = randomFrom(seed + index)
  const load = startMerchantLoad(
    { web: [{ ...oneOf(random, cluster.web), url: proxy.url }], token: cluster.token },
    random,
    seen,
    writers,
  )
  const polls = startPolls(proxy, cluster.token, () => load.answered(), seen)
  for (const node of cluster.nodes) {
    await sleep(3 * checkMs)
    await stop(node)
    await node.start()
    if (node.roles === 'web') await awaitUp(proxy)
  }
  await sleep(3 * checkMs)
  await load.stop()
  await polls.stop()
  return {
    failures: [...failuresIn(seen), ...load.wrong],
    lost: await load.findLost(true),
    slowestMs: polls.slowestMs(),
  }
}

const byTerm = async (node: Node): Promise<void> => assert.equal(await node.process().end('SIGTERM'), 0)

test(`two-nodes: ${count} times every node is replaced behind HAProxy, and no request fails`, { skip }, async () => {
  const seen = openSightings()
  let slowestMs = 0
  // A world for each round: its orders begin with 1.
  const round = (index: number): Promise<void> =>
    withWorld(async (world) => {
      const result = await replaceAll(world, index, seen, byTerm)
      slowestMs = Math.max(slowestMs, result.slowestMs)
      assert.deepEqual([result.failures, result.lost], [[], []], `seed ${seed}, round ${index}`)
      await world.doctor()
    })
  const rounds = await repeat('two-nodes', count, round, () => seen.text())
  console.log(`two-nodes seed ${seed}: ${rounds} rounds, slowest poll ${Math.round(slowestMs)} ms; ${seen.text()}`)
  seen.assertSeen('created', 'canceled', 'polled')
})

test('two-nodes, control: SIGKILL fails requests', { skip: skip || !isTorture }, async () => {
  const seen = openSightings()
  await withWorld(async (world) => {
    const { failures, lost } = await replaceAll(world, 0, seen, (node) => node.kill())
    console.log(`two-nodes, control: ${failures.slice(0, 5).join('; ')}`)
    assert.notDeepEqual(failures, [])
    assert.deepEqual(lost, [])
  })
})
