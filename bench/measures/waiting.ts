import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/process.ts'
import type { Finding, Measure } from '../measure.ts'
import { callMerchantApi, inParallel, type OpenOrder, openOrders } from '../rig/open-orders.ts'
import type { Bench } from '../rig/open-bench.ts'
import { startPayin } from '../rig/payin.ts'
import type { Server } from '../rig/processes.ts'
import { inspectable, residentBytes } from '../rig/resident-bytes.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const patienceMs = 15_000

/** A client that waits for a change of one payment; `changed` resolves when it has received the change. */
type Waiter = { readonly changed: Promise<void> }

const ask = (url: string, options: object): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void get(url, options, resolve).on('error', reject))

const readAll = async (answer: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += part
  return text
}

/** A merchant's status request, which is answered when the status changes. */
const waitForStatus = async (bench: Bench, { url }: Server, { orderId }: OpenOrder): Promise<Waiter> => {
  const headers = { authorization: `Bearer ${bench.merchant.token}` }
  const path = `/api/v1/merchant/payments/byOrderId/${orderId}/status?wait=60`
  const changed = ask(url + path, { headers, agent: false }).then(async (answer) => void (await readAll(answer)))
  return { changed }
}

/** An open payer page: receives the change by its stream, and then loads itself again. */
const openPage = async (_bench: Bench, { url }: Server, { path }: OpenOrder): Promise<Waiter> => {
  const stream = await ask(`${url}${path}/events`, { agent: false })
  if (stream.statusCode !== 200) throw new Error(`a stream was answered with ${stream.statusCode}`)
  stream.setEncoding('utf8').on('error', () => undefined)
  let tag = ''
  await new Promise<void>((resolve) =>
    stream.once('data', (part: string) => {
      tag = /data: (.*)/.exec(part)?.[1] ?? ''
      resolve()
    }),
  )
  const changed = new Promise<void>((resolve, reject) => {
    stream.on('data', (part: string) => {
      if (!part.includes('changed')) return
      ask(url + path, { agent, headers: { 'if-none-match': tag } })
        .then(readAll)
        .then((text) => (text === '' ? undefined : resolve()), reject)
    })
  })
  return { changed }
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? NaN

const measure = async (
  bench: Bench,
  title: string,
  count: number,
  wait: (bench: Bench, server: Server, order: OpenOrder) => Promise<Waiter>,
): Promise<Finding> => {
  await using database = await bench.createDatabase()
  const inspector = await freePort()
  await using payin = await startPayin(database, bench.signal, inspectable(inspector))
  bench.say(`P7: ${title}: creating ${count} payments`)
  const orders = await openOrders(bench, payin, count)
  const before = await residentBytes(payin, inspector)
  const changedAt = new Map<string, number>()
  const took: number[] = []
  bench.say(`P7: ${title}: ${count} wait`)
  await inParallel(count, 50, async (index) => {
    const order = orders[index]
    if (!order) return
    const { changed } = await wait(bench, payin, order)
    changed.then(
      () => took.push(performance.now() - (changedAt.get(order.orderId) ?? NaN)),
      () => undefined,
    )
  })
  const each = ((await residentBytes(payin, inspector)) - before) / count / 1000
  const started = performance.now()
  await inParallel(count, 32, async (index) => {
    const { orderId = '' } = orders[index] ?? {}
    changedAt.set(orderId, performance.now())
    await callMerchantApi(bench, payin, '/byOrderId/cancel', { orderId })
  })
  const seconds = (performance.now() - started) / 1000
  for (let waited = 0; took.length < count && waited < patienceMs; waited += 100) await sleep(100)
  return {
    title: `${count} ${title}, all of them changed`,
    unit: 'ms from the request that makes the change',
    series: [
      { name: 'p50', samples: [{ value: percentile(took, 0.5) }] },
      { name: 'p99', samples: [{ value: percentile(took, 0.99) }] },
    ],
    verdicts: [
      {
        text: 'p99 until the change is received',
        unit: 's',
        values: [percentile(took, 0.99) / 1000],
        goal: { atMost: 1 },
      },
      { text: 'of 20 kB of memory each', unit: '×', values: [each / 20], goal: { atMost: 1 } },
    ],
    checks: [
      {
        text: `${took.length} of ${count} received the change; the changes took ${seconds.toFixed(1)} s`,
        ok: took.length === count,
      },
    ],
  }
}

/** P7: merchants that wait for a status, and open payer pages: what each costs, and how soon all receive a change. */
export const waiting: Measure = {
  id: 'P7',
  title: 'who waits',
  run: async (bench) => [
    await measure(bench, 'waiting status calls', bench.quick ? 1000 : 10_000, waitForStatus),
    await measure(bench, 'open payer pages', bench.quick ? 500 : 5000, openPage),
  ],
}
