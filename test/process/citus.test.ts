// On a Citus, which `TEST_DATABASE_URL` names: each tenant on a node of it, and moved between them under load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listCitusNodes } from '../support/citus.ts'
import { runSqlAt } from '../support/run-sql.ts'
import { clonePostgres } from '../support/templates.ts'
import { openTenantUnderLoad } from '../support/tenant-under-load.ts'
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

test('a tenant of a Citus is moved to another node under load, and nothing acknowledged is lost', async (t) => {
  const [, first, second] = await listCitusNodes(server)
  if (!first || !second) return t.skip('TEST_DATABASE_URL is not a Citus with two workers')
  const database = await clonePostgres(server)
  try {
    // One process enters at the coordinator, the other one at a worker.
    const environments = [{ DATABASE_URL: database.url }, { DATABASE_URL: through(database.url, first) }] as const
    await using tenant = await openTenantUnderLoad([...environments], async () => database.url)
    const findNode = async (): Promise<number | undefined> => {
      const rows = await runSqlAt<{ port: number }>(
        database.url,
        `select distinct nodeport as port from citus_shards where table_name::text like 'tenant_acme.%'`,
      )
      assert.equal(rows.length, 1, 'a tenant is on one node')
      return rows[0]?.port
    }
    /** Moves the tenant to the other node under load; returns the longest time in which nothing was acknowledged. */
    const move = async (): Promise<number> => {
      const from = await findNode()
      const to = from === first.port ? second : first
      const load = tenant.startLoad(8)
      await sleep(500)
      await runSqlAt(database.url, `select citus_schema_move('tenant_acme', '${to.host}', ${to.port})`)
      await sleep(500)
      const { acknowledged, refused, longestGapMs } = await load.end()
      t.diagnostic(
        `${from} to ${to.port}: ${acknowledged} acknowledged, ${refused} refused, longest gap ${longestGapMs} ms`,
      )
      assert.equal(await findNode(), to.port)
      await tenant.assertHealthy()
      return longestGapMs
    }
    await repeat('moves on a Citus', countOf(2), async () => {
      // A busy machine may stop for as long, but not each time.
      let gapMs = await move()
      for (let tries = 1; tries < 3 && gapMs >= mostGapMs; tries++) gapMs = Math.min(gapMs, await move())
      assert.ok(gapMs < mostGapMs, `nothing was acknowledged for ${gapMs} ms`)
    })
  } finally {
    await database.drop()
  }
})
