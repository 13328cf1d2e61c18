// A tenant in several processes, and a load on it that records what was acknowledged and when.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTenantJobs } from '../../src/jobs/tenant-jobs.ts'
import { openOperator } from './operator.ts'
import { runSqlAt } from './run-sql.ts'
import { assertHealthy, openTestService, type TestService } from './service.ts'
import { openShop, send } from './shop.ts'

export type Load = {
  /** Ends it, and fails if an acknowledged payment is missing. Returns the counts and the longest gap. */
  end(): Promise<{ readonly acknowledged: number; readonly refused: number; readonly longestGapMs: number }>
}

/** Two processes that serve the tenant `acme`, with a shop in it. */
export type TenantUnderLoad = AsyncDisposable & {
  startLoad(workers: number): Load
  /** The tenant's server and state in the directory. */
  whereabouts(): Promise<string>
  /** Fails if an invariant does not hold, in the tenant or in `main`. */
  assertHealthy(): Promise<void>
}

/** Starts a process for each environment and adds the tenant; `findServer` returns the address of its tables. */
export const openTenantUnderLoad = async (
  environments: readonly [Record<string, string>, Record<string, string>],
  findServer: () => Promise<string>,
): Promise<TenantUnderLoad> => {
  const open = (environment: Record<string, string>) =>
    openTestService('postgres', { ...environment, PAYIN_ROLES: 'web' })
  const node = await open(environments[0])
  const { status } = await openOperator(node).call('POST', '/tenants', { name: 'acme' })
  assert.equal(status, 201)
  const nodes = [node, await open(environments[1])]
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
        const server = await findServer()
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
    startLoad,
    whereabouts: async () => {
      const { tenants } = (await openOperator(node).get('/tenants')).body
      const { server, state } = tenants.find(({ name }: { name: string }) => name === 'acme')
      return `${server} ${state}`
    },
    assertHealthy: async () => {
      await assertHealthy({ context })
      await assertHealthy(node)
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(ticking)
      await stopJobs()
      for (const each of nodes) await each.stop()
    },
  }
}
