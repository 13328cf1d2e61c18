// On a Citus, which `TEST_DATABASE_URL` names: each cell's schema on one node of it, moved between them under load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startJobs } from '../../src/process/jobs/jobs.ts'
import { listCitusNodes } from '../support/citus.ts'
import { runSqlAt } from '../support/run-sql.ts'
import { assertHealthy, openTestService, type TestService } from '../support/service.ts'
import { openShop, send, type Shop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'
import { countOf, repeat } from '../support/torture.ts'

/** A move stops writes for less than this. */
const mostGapMs = 5000

const server = process.env['TEST_DATABASE_URL'] ?? ''

/** The same database through another node. */
const through = (url: string, { host, port }: { host: string; port: number }): string => {
  const found = new URL(url)
  found.host = `${host}:${port}`
  return String(found)
}

const openCell = (url: string, schema: string): Promise<TestService> =>
  openTestService('embedded', { DATABASE_URL: url, PAYIN_DATABASE_SCHEMA: schema, PAYIN_ROLES: 'web' })

let orders = 0

/** Creates payments at the nodes in turn; `end` returns the acknowledged orders and the longest time without one. */
const startLoad = (nodes: readonly TestService[], shop: Shop, workers: number) => {
  let isOver = false
  let refused = 0
  const acknowledged: string[] = []
  const times: number[] = [performance.now()]
  const create = (at: TestService, orderId: string) =>
    send(at, '/api/v1/merchant/payments', {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'direct', amount: 1000 + (orders % 5000), orderId, currency: 'rub', method: 'sbp' }),
    })
  const work = async (index: number): Promise<void> => {
    const at = nodes[index % nodes.length] as TestService
    while (!isOver) {
      const orderId = `order-${++orders}`
      for (;;) {
        const answer = await create(at, orderId)
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
      const longestGapMs = Math.round(Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0))))
      return { acknowledged, refused, longestGapMs }
    },
  }
}

test('a cell on a Citus is moved to another node under load, and nothing acknowledged is lost', async (t) => {
  const [, first, second] = await listCitusNodes(server)
  if (!first || !second) return t.skip('TEST_DATABASE_URL is not a Citus with two workers')
  const database = await clonePostgres(server)
  const opened: TestService[] = []
  let ticking: NodeJS.Timeout | undefined
  let stopJobs: (() => Promise<void>) | undefined
  const open = async (url: string, schema: string): Promise<TestService> => {
    const service = await openCell(url, schema)
    opened.push(service)
    return service
  }
  try {
    const other = await open(database.url, 'cell_b')
    // One process of the cell enters at the coordinator, the other one at a worker.
    const node = await open(database.url, 'cell_a')
    const nodes = [node, await open(through(database.url, first), 'cell_a')]
    ticking = setInterval(() => opened.forEach(({ clock }) => clock.advance(100)), 100)
    stopJobs = startJobs(node.context)
    const shop = await openShop(node, { perMethod: 20 })
    await openShop(other)
    const findNode = async (): Promise<number | undefined> => {
      const rows = await runSqlAt<{ port: number }>(
        database.url,
        `select distinct nodeport as port from citus_shards where table_name::text like 'cell_a.%'`,
      )
      assert.equal(rows.length, 1, 'a cell is on one node')
      return rows[0]?.port
    }
    /** Moves the cell to the other node under load; returns the longest time in which nothing was acknowledged. */
    const move = async (): Promise<number> => {
      const from = await findNode()
      const to = from === first.port ? second : first
      const load = startLoad(nodes, shop, 8)
      await sleep(500)
      await runSqlAt(database.url, `select citus_schema_move('cell_a', '${to.host}', ${to.port})`)
      await sleep(500)
      const { acknowledged, refused, longestGapMs } = await load.end()
      t.diagnostic(
        `${from} to ${to.port}: ${acknowledged.length} acknowledged, ${refused} refused, longest gap ${longestGapMs} ms`,
      )
      assert.equal(await findNode(), to.port)
      const stored = await runSqlAt<{ order_id: string }>(database.url, 'select order_id from cell_a.payments')
      const known = new Set(stored.map(({ order_id }) => order_id))
      assert.deepEqual(
        acknowledged.filter((orderId) => !known.has(orderId)),
        [],
        'acknowledged payments that are lost',
      )
      assert.equal(known.size, stored.length)
      for (const each of [node, other]) await assertHealthy(each)
      return longestGapMs
    }
    await repeat('moves on a Citus', countOf(2), async () => {
      // A busy machine may stop for as long, but not each time.
      let gapMs = await move()
      for (let tries = 1; tries < 3 && gapMs >= mostGapMs; tries++) gapMs = Math.min(gapMs, await move())
      assert.ok(gapMs < mostGapMs, `nothing was acknowledged for ${gapMs} ms`)
    })
  } finally {
    clearInterval(ticking)
    await stopJobs?.()
    for (const each of opened.toReversed()) await each.stop()
    await database.drop()
  }
})
