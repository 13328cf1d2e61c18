// Clients that are slow on purpose, in masses: slow headers, slow bodies, slow reading, half-open connections, pipelines.
// Memory and descriptors of the service stay within bounds, and honest traffic hardly notices.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, type Node, openCluster, tryCall } from '../support/cluster.ts'
import { countOf, isTorture } from '../support/torture.ts'

/** Connections of each kind. */
const count = countOf(30)
const honestPolls = isTorture ? 500 : 50

const hostLine = 'Host: payin.test\r\n'

/** One way to be slow: what is sent at once, then what is sent a piece at a time, and how answers are read (default: not at all). */
type Kind = {
  readonly title: string
  readonly first: (token: string) => string
  readonly drip?: string
  readonly reads?: 'slowly' | 'fast'
}

const kinds: readonly Kind[] = [
  { title: 'headers one byte at a time', first: () => 'GET /readyz HTTP/1.1\r\n', drip: 'X-Slow: 1\r\n' },
  {
    title: 'a body one byte at a time',
    first: (token) =>
      `POST /api/v1/merchant/payments HTTP/1.1\r\n${hostLine}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
    drip: ' ',
  },
  {
    title: 'answers read one byte at a time',
    first: () => `GET /openapi.json HTTP/1.1\r\n${hostLine}\r\n`.repeat(8),
    reads: 'slowly',
  },
  { title: 'connections that say nothing', first: () => '' },
  { title: 'half a request, and silence', first: () => `GET /readyz HTTP/1.1\r\n${hostLine}` },
  {
    title: 'pipelines of 200 requests',
    first: () => `GET /none HTTP/1.1\r\n${hostLine}\r\n`.repeat(200),
    reads: 'slowly',
  },
]

/** The same from clients that send whole requests and read their answers. */
const fairly = ({ title, first, drip, reads }: Kind): Kind => ({
  title,
  reads: 'fast',
  first: reads ? first : () => '',
  ...(drip === undefined ? {} : { drip: `GET /readyz HTTP/1.1\r\n${hostLine}\r\n` }),
})

const openClient = async (node: Node, token: string, kind: Kind): Promise<Socket> => {
  const { hostname, port } = new URL(node.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  if (kind.reads === 'fast') socket.resume()
  else socket.pause()
  socket.write(kind.first(token))
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else if (kind.drip !== undefined) socket.write(kind.drip)
    else if (kind.reads === 'slowly') socket.read(1)
  }, 100)
  socket.on('close', () => clearInterval(timer))
  return socket
}

/** Megabytes of memory and the number of descriptors of a process. */
const measure = (node: Node): { memory: number; descriptors: number } => {
  const folder = `/proc/${node.process().child.pid}`
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`${folder}/status`, 'utf8')) ?? []
  return { memory: Number(kilobytes) / 1024, descriptors: readdirSync(`${folder}/fd`).length }
}

const p99 = async (cluster: Cluster, node: Node): Promise<number> => {
  const times: number[] = []
  for (let polls = 0; polls < honestPolls; polls++) {
    const startedAt = performance.now()
    const answer = await tryCall(node, cluster.token, '/payments/currencies')
    assert.equal(answer?.status, 200)
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(honestPolls * 0.99)] ?? 0
}

const allowedMemory = 250

/**
 * Opens the clients, measures next to them, and closes them. Other processes delay polls as well, but not each time: it
 * measures up to five times, until the p99 is at most `enough`.
 */
const nextTo = async (cluster: Cluster, node: Node, openOne: () => Promise<Socket>, enough: number) => {
  const sockets = await Promise.all(Array.from({ length: count }, openOne))
  await sleep(300)
  let busy = await p99(cluster, node)
  for (let tries = 1; tries < 5 && busy > enough; tries++) busy = Math.min(busy, await p99(cluster, node))
  const during = measure(node)
  for (const socket of sockets) socket.destroy()
  return { busy, during }
}

const attack = async (cluster: Cluster, node: Node, kind: Kind): Promise<string[]> => {
  await p99(cluster, node)
  const [quiet, before] = [await p99(cluster, node), measure(node)]
  const { busy, during } = await nextTo(cluster, node, () => openClient(node, cluster.token, kind), 3 * quiet)
  for (let waited = 0; measure(node).descriptors > before.descriptors + 5 && waited < 30_000; waited += 50)
    await sleep(50)
  const after = measure(node)
  // A machine that became busy meanwhile is slow without the clients, too.
  const calm = busy > 3 * quiet ? Math.max(quiet, await p99(cluster, node)) : quiet
  // Control: as many clients that are not slow.
  const openFair = () => openClient(node, cluster.token, fairly(kind))
  const fair = busy > 3 * calm ? (await nextTo(cluster, node, openFair, Infinity)).busy : 0
  const shown = `p99 ${calm.toFixed(1)} → ${busy.toFixed(1)} ms${fair > 0 ? ` (${fair.toFixed(1)} if they are not slow)` : ''}, ${before.memory.toFixed(0)} → ${during.memory.toFixed(0)} MB, ${before.descriptors} → ${during.descriptors} → ${after.descriptors} descriptors`
  console.log(`${count} × ${kind.title}: ${shown}`)
  return [
    ...(busy > 3 * Math.max(calm, fair) ? [`p99: ${shown}`] : []),
    ...(during.memory > before.memory + allowedMemory ? [`memory: ${shown}`] : []),
    ...(during.descriptors > before.descriptors + count + 20 ? [`descriptors: ${shown}`] : []),
    ...(after.descriptors > before.descriptors + 5 ? [`descriptors that stay: ${shown}`] : []),
  ]
}

test(`${count} slow clients of each kind cost little, and honest traffic hardly notices`, {
  skip: process.platform === 'linux' ? false : 'reads /proc',
}, async (t) => {
  await using cluster = await openCluster('embedded', ['web'])
  const [node] = cluster.nodes as [Node]
  for (const kind of kinds) {
    await t.test(kind.title, async () => {
      // What measures time tries again: others may have had the machine.
      let wrong = await attack(cluster, node, kind)
      for (let tries = 1; wrong.length > 0 && tries < 3; tries++) wrong = await attack(cluster, node, kind)
      assert.deepEqual(wrong, [])
    })
  }
  assert.equal(node.process().child.exitCode, null)
  await cluster.assertHealthy()
})
