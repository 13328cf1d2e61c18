// The shops of examples/: each passes every check of an integration, and credits each user once whatever kills it.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Payin } from '../sdk/src/payin-sdk.ts'
import { headersOf } from '../src/cli/listen.ts'
import { withoutInterpreter } from './support/interpreters.ts'
import { runPayin } from './support/run-payin.ts'
import { buildSdk, removeSdk } from './support/samples.ts'
import { shareService } from './support/shared-service.ts'
import { openShop, type Shop } from './support/shop.ts'

const opened = shareService()
const examples = resolve(import.meta.dirname, '../examples')
const folder = mkdtempSync(join(tmpdir(), 'payin-examples-'))
after(() => {
  rmSync(folder, { recursive: true, force: true })
  removeSdk()
})
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

/** How a shop is started on a port; a second process is its fallback. */
type Language = {
  readonly name: string
  readonly missing: string | undefined
  readonly commands: (port: number) => readonly (readonly [program: string, ...words: string[]])[]
}

/** The shop in TypeScript, copied out of the repository, with the SDK as npm installs it. */
const copyShop = (): string => {
  const copy = join(folder, 'copied')
  cpSync(join(examples, 'typescript'), copy, { recursive: true, filter: (path) => !path.includes('node_modules') })
  mkdirSync(join(copy, 'node_modules'))
  symlinkSync(buildSdk(), join(copy, 'node_modules/payin-sdk'))
  return join(copy, 'shop.ts')
}

const php = join(examples, 'php/shop.php')
const copied = copyShop()
const languages: readonly Language[] = [
  {
    name: 'typescript',
    missing: undefined,
    commands: () => [[process.execPath, '--no-warnings', copied]],
  },
  {
    name: 'python',
    missing: withoutInterpreter('python'),
    commands: () => [['python3', join(examples, 'python/shop.py')]],
  },
  {
    name: 'php',
    missing: withoutInterpreter('php'),
    commands: (port) => [
      ['php', '-S', `127.0.0.1:${port}`, php],
      ['php', php, 'poll'],
    ],
  },
]

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** The server of a merchant, which can be killed at any moment and started again. */
const openExample = async ({ name, commands }: Language, { token }: Shop) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { PATH = '', HOME = '' } = process.env
  const env = {
    ...{ PATH, HOME, PORT: String(port), POLL_SECONDS: '0.5', SHOP_DATA: join(folder, name) },
    ...{ PAYIN_URL: opened().url, PAYIN_TOKEN: token, PAYIN_SECRET: secret },
  }
  let running: ChildProcess[] = []
  const start = async (): Promise<void> => {
    running = commands(port).map(([program, ...words]) => spawn(program, words, { cwd: folder, env, stdio: 'ignore' }))
    for (let looks = 0; looks < 400; looks++) {
      const answer = await fetch(`${url}/users/nobody`).catch(() => undefined)
      if (answer?.ok) return
      await sleep(25)
    }
    throw new Error(`the ${name} shop does not start`)
  }
  const kill = async (): Promise<void> => {
    const alive = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    const ends = alive.map((each) => once(each, 'exit'))
    for (const each of running) each.kill('SIGKILL')
    await Promise.all(ends)
  }
  await start()
  return { url, start, kill, [Symbol.asyncDispose]: kill }
}

type Example = Awaited<ReturnType<typeof openExample>>

/** Tries until it works, as everybody does who calls a server that was killed. */
const untilItWorks = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries > 300) throw error
      await sleep(50)
    }
  }
}

const topUp = async ({ url }: Example, user: string): Promise<string> => {
  const body = JSON.stringify({ user, amount: 1500, currency: 'rub' })
  const answer = await fetch(`${url}/topups`, { method: 'POST', body, signal: AbortSignal.timeout(5000) })
  return ((await answer.json()) as { orderId: string }).orderId
}

const balanceOf = async ({ url }: Example, user: string): Promise<number> => {
  const answer = await fetch(`${url}/users/${user}`, { signal: AbortSignal.timeout(5000) })
  return ((await answer.json()) as { balance: number }).balance
}

type Notification = { readonly id: string; readonly body: string }

const deliver = async ({ url }: Example, { id, body }: Notification): Promise<void> => {
  const headers = headersOf({ id, body, secret, timestamp: Math.floor(Date.now() / 1000) })
  const answer = await fetch(`${url}/payin`, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })
  assert.ok(answer.ok, String(answer.status))
}

/** Kills the shop after each of these times, and starts it again. */
const killRepeatedly = async (example: Example, pausesMs: readonly number[]): Promise<void> => {
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs)
    await example.kill()
    await example.start()
  }
}

const stories = [
  { event: 'paid', credited: 1500, kinds: 1 },
  { event: 'overpaid', credited: 1650, kinds: 1 },
  { event: 'late', credited: 1500, kinds: 2 },
  { event: 'duplicate', credited: 1500, kinds: 1 },
  { event: 'paid', credited: 1500, kinds: 1 },
  // No notification of this one is sent: it polls.
  { event: 'late', credited: 1500, kinds: 0 },
] as const

const untilHeard = async (payin: Payin, listenerId: string, wanted: number): Promise<Notification[]> => {
  const heard = new Map<string, Notification>()
  for (
    let results: { eventId: string; attempt: number; queuedAt: string; status: number; latencyMs: number }[] = [];
    ;
  ) {
    const { deliveries } = await payin.listeners.take(listenerId, { results, wait: 1 })
    for (const { eventId, body } of deliveries) heard.set(eventId, { id: eventId, body })
    if (heard.size >= wanted) return [...heard.values()]
    results = deliveries.map(({ body: _, ...taken }) => ({ ...taken, status: 204, latencyMs: 1 }))
  }
}

const orderOf = ({ body }: Notification): string => (JSON.parse(body) as { data: { orderId: string } }).data.orderId

/** Lets time pass at the service until it is aborted. */
const passTime = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    opened().clock.now += 100
    await opened().runJobs()
    await sleep(20)
  }
}

describe('the shops of examples/', { concurrency: true }, () => {
  const ended = new AbortController()
  let passing: Promise<void> | undefined
  before(() => {
    passing = passTime(ended.signal)
  })
  after(() => {
    ended.abort()
    return passing
  })

  for (const language of languages) {
    const skip = language.missing ?? false
    test(`the shop in ${language.name} passes every check, and credits each user once however often it is killed`, {
      skip,
    }, async () => {
      const shop = await openShop(opened(), { mode: 'sandbox', perMethod: 60 })
      const payin = new Payin({ baseUrl: opened().url, token: shop.token })
      await using example = await openExample(language, shop)
      const graded = await runPayin(
        [
          ...['check-integration', `${example.url}/payin`, '--create', `${example.url}/topups`],
          ...['--balance', `${example.url}/users/{user}`, '--json'],
        ],
        { environment: { PAYIN_URL: opened().url, PAYIN_TOKEN: shop.token, PAYIN_SECRET: secret } },
      )
      assert.deepEqual([graded.code, graded.error], [0, ''], graded.out)

      const { id } = await payin.listeners.create()
      const killing = killRepeatedly(example, [30, 200, 5])
      const orders = await Promise.all(stories.map((_, index) => untilItWorks(() => topUp(example, `user-${index}`))))
      await killing
      await Promise.all(stories.map(({ event }, index) => payin.sandbox.simulate(orders[index] ?? '', { event })))
      const wanted = stories.reduce((sum, { kinds, event }) => sum + (kinds || (event === 'late' ? 2 : 1)), 0)
      const heard = await untilHeard(payin, id, wanted)
      const notified = heard.filter((each) => orderOf(each) !== orders.at(-1)).toReversed()
      await Promise.all([
        killRepeatedly(example, [20, 60, 5, 150, 40, 300]),
        ...[...notified, ...notified, ...notified].map((each) => untilItWorks(() => deliver(example, each))),
      ])
      for (const [index, { credited }] of stories.entries()) {
        const user = `user-${index}`
        await untilItWorks(async () => {
          assert.equal(await balanceOf(example, user), credited, user)
          assert.ok((await payin.payments.timeline(orders[index] ?? '')).acknowledgedAt, user)
        })
      }
      // It polls again, is notified again, and nothing changes.
      await Promise.all(notified.map((each) => deliver(example, each)))
      await sleep(700)
      for (const [index, { credited }] of stories.entries())
        assert.equal(await balanceOf(example, `user-${index}`), credited)
      await payin.endpoints.remove(id)
    })
  }
})
