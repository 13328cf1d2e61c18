// A tenant on two PostgreSQL servers, two processes that serve it, and a load that notes what was acknowledged and when.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTenantJobs } from '../../src/jobs/tenant-jobs.ts'
import { openOperator } from './operator.ts'
import { startPostgres } from './postgres.ts'
import { runSqlAt } from './run-sql.ts'
import { type PayinRun, runPayin } from './run-payin.ts'
import { assertHealthy, openTestService, type TestService } from './service.ts'
import { openShop, send } from './shop.ts'

/** What was done under load. */
export type Load = {
  /** Ends it; fails where an acknowledged payment is missing at a node. Gives how many there are and the longest gap. */
  end(): Promise<{ readonly acknowledged: number; readonly refused: number; readonly longestGapMs: number }>
}

/** Two servers, two nodes and the tenant `acme` on the first server. */
export type TwoServers = AsyncDisposable & {
  readonly urls: Readonly<Record<'main' | 'b', string>>
  payin(...words: string[]): Promise<PayinRun>
  /** Starts the command as a process of its own, and kills it this long after it has written the word. */
  killPayin(words: readonly string[], word: string, afterMs: number): Promise<void>
  startLoad(workers: number): Load
  /** Where the directory says that the tenant is, and how it is. */
  whereabouts(): Promise<string>
  assertHealthy(): Promise<void>
}

/** Starts all of it; where that cannot be done, says in words why. */
export const openTwoServers = async (walLevel: 'logical' | 'replica'): Promise<TwoServers | { missing: string }> => {
  const settings = { wal_level: walLevel, max_wal_senders: '20', max_replication_slots: '20', fsync: 'on' }
  // 93 tables are copied, by as many workers at once.
  Object.assign(settings, { max_sync_workers_per_subscription: '8', max_logical_replication_workers: '12' })
  const [first, second] = await Promise.all([startPostgres(settings), startPostgres(settings)])
  if ('missing' in first) return first
  if ('missing' in second) return second
  const environment = { DATABASE_URL: first.url, PAYIN_TENANT_SERVERS: `b=${second.url}` }
  const open = () => openTestService('postgres', { ...environment, PAYIN_ROLES: 'web' })
  const node = await open()
  const { status } = await openOperator(node).call('POST', '/tenants', { name: 'acme' })
  assert.equal(status, 201)
  const nodes = [node, await open()]
  const ticking = setInterval(() => nodes.forEach(({ clock }) => clock.advance(100)), 100)
  const stopJobs = startTenantJobs(node.tenants)
  const context = await node.tenants.find('acme')
  assert.ok(context)
  const shop = await openShop({ ...node, context }, { perMethod: 20 })
  let orders = 0

  const create = (at: TestService, orderId: string, amount: number) =>
    send(at, '/api/v1/merchant/payments', {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'direct', amount, orderId, currency: 'rub', method: 'sbp' }),
    })

  const whereabouts = async (): Promise<string> => {
    const { tenants } = (await openOperator(node).get('/tenants')).body
    const { server, state } = tenants.find(({ name }: { name: string }) => name === 'acme')
    return `${server} ${state}`
  }

  const startLoad = (workers: number): Load => {
    let isOver = false
    const acknowledged: string[] = []
    const times: number[] = [performance.now()]
    let refused = 0
    const work = async (index: number): Promise<void> => {
      const at = nodes[index % nodes.length] as TestService
      while (!isOver) {
        const number = ++orders
        const orderId = `order-${number}`
        for (;;) {
          const answer = await create(at, orderId, 1000 + (number % 5000))
          if (answer.status === 201 || answer.status === 200) break
          assert.equal(answer.body.code, 'database_unavailable', JSON.stringify(answer.body))
          refused++
          await sleep(100)
        }
        acknowledged.push(orderId)
        times.push(performance.now())
      }
    }
    const running = Promise.all(Array.from({ length: workers }, (_, index) => work(index)))
    return {
      end: async () => {
        isOver = true
        await running
        times.push(performance.now())
        const server = (await whereabouts()).startsWith('b') ? second.url : first.url
        const stored = await runSqlAt<{ order_id: string }>(server, 'select order_id from tenant_acme.payments')
        const known = new Set(stored.map(({ order_id }) => order_id))
        const lost = acknowledged.filter((orderId) => !known.has(orderId))
        assert.deepEqual(lost, [], 'acknowledged payments that are lost')
        assert.equal(known.size, stored.length)
        const longestGapMs = Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)))
        return { acknowledged: acknowledged.length, refused, longestGapMs: Math.round(longestGapMs) }
      },
    }
  }

  return {
    urls: { main: first.url, b: second.url },
    payin: (...words) => runPayin(words, { environment: { ...environment, NODE_ENV: 'test' } }),
    killPayin: (words, word, afterMs) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/cli/payin.ts'), ...words], {
          env: { ...process.env, ...environment, NODE_ENV: 'test' },
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        child.once('error', reject)
        child.once('exit', () => resolve())
        child.stderr.on('data', (piece: Buffer) => {
          if (piece.toString().includes(word)) setTimeout(() => child.kill('SIGKILL'), afterMs)
        })
      }),
    startLoad,
    whereabouts,
    assertHealthy: async () => {
      await assertHealthy({ context })
      await assertHealthy(node)
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(ticking)
      await stopJobs()
      for (const each of nodes) await each.stop()
      await Promise.all([first.stop(), second.stop()])
    },
  }
}
