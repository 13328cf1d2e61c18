// The service as it runs for merchants: separate processes on one database, which tests kill and start again.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type StartedProcess, startProcess } from './process.ts'
import type { Engine } from './service.ts'
import { type Answer, send } from './shop.ts'
import { cloneEmbedded, clonePostgres } from './templates.ts'

/** A process of the service. */
export type Node = {
  readonly roles: string
  readonly url: string
  /** The process that runs now, or ran last. */
  process(): StartedProcess
  kill(): Promise<void>
  /** Starts it again, from now on with the code in `folder` if given, and waits until it serves. */
  start(folder?: string): Promise<void>
}

/** Processes of the service on one database, with the sandbox merchant of the demo. */
export type Cluster = AsyncDisposable & {
  readonly nodes: readonly Node[]
  /** The processes that serve requests. */
  readonly web: readonly Node[]
  readonly token: string
  /** Fails if a row of the database breaks an invariant that the node knows. */
  assertHealthy(node?: Node): Promise<void>
}

/** The operator token of every cluster. */
export const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'

const startNode = async (roles: string, environment: Record<string, string>, first?: string): Promise<Node> => {
  const port = await freePort()
  let folder = first
  const start = (): Promise<StartedProcess> =>
    startProcess({ ...environment, PORT: String(port), PAYIN_ROLES: roles }, folder === undefined ? {} : { folder })
  let started = await start()
  return {
    roles,
    url: `http://127.0.0.1:${port}`,
    process: () => started,
    kill: async () => void (await started.end('SIGKILL')),
    start: async (next) => {
      folder = next ?? folder
      started = await start()
    },
  }
}

/** The database of a cluster's processes. */
export type Place = {
  readonly environment: Readonly<Record<string, string>>
  /** Removes it. */
  drop(): Promise<void>
}

const usual = {
  PAYIN_RATE_LIMIT: '0',
  PUBLIC_URL: 'http://payin.test',
  PAYIN_LOG_LEVEL: 'error',
  PAYIN_OPERATOR_TOKEN: operatorToken,
  PAYIN_ENCRYPTION_KEYS: 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE=',
}

/** Starts a process for each of these roles on this database, with the code in `folder` (default: the current code). */
export const openClusterIn = async (place: Place, roles: readonly string[], folder?: string): Promise<Cluster> => {
  const nodes = await Promise.all(roles.map((each) => startNode(each, { ...usual, ...place.environment }, folder)))
  const web = nodes.filter((node) => node.roles.includes('web'))
  const token = /payin_test_\w+/.exec(web[0]?.process().output() ?? '')?.[0] ?? ''
  return {
    nodes,
    web,
    token,
    assertHealthy: async (node = web[0]) => {
      const headers = { authorization: `Bearer ${operatorToken}` }
      const { body } = await send({ url: node?.url ?? '' }, '/api/v1/operator/doctor', { headers })
      const broken = body.checks?.filter((check: { broken: number }) => check.broken > 0)
      assert.deepEqual(broken, [], JSON.stringify(body))
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      await place.drop()
    },
  }
}

/** A migrated, empty database of this engine for separate processes. */
export const openPlace = async (engine: Engine, server = process.env['TEST_DATABASE_URL'] ?? ''): Promise<Place> => {
  const database = engine === 'postgres' ? await clonePostgres(server) : undefined
  const dataDir = database ? mkdtempSync(join(tmpdir(), 'payin-place-')) : await cloneEmbedded()
  return {
    environment: { PAYIN_DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) },
    drop: async () => {
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts a process for each of these roles on a new database; `environment` overrides the usual settings. */
export const openCluster = async (
  engine: Engine,
  roles: readonly string[],
  environment: Record<string, string> = {},
  server?: string,
): Promise<Cluster> => {
  const place = await openPlace(engine, server)
  return openClusterIn({ ...place, environment: { ...place.environment, ...environment } }, roles)
}

/** Sends one request to a node that may be down; undefined without a complete answer. */
export const tryCall = async (
  node: Pick<Node, 'url'>,
  token: string,
  path: string,
  body?: unknown,
  withinMs = 10_000,
): Promise<Answer | undefined> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(withinMs)
  const init =
    body === undefined ? { headers, signal } : { headers, signal, method: 'POST', body: JSON.stringify(body) }
  return send(node, `/api/v1/merchant${path}`, init).catch(() => undefined)
}

/** The status of an answer that needs the database: it asks for an orderId that nobody has used. */
export const askDatabase = async (cluster: Cluster): Promise<number | undefined> => {
  const [node] = cluster.web
  return node && (await tryCall(node, cluster.token, '/payments/byOrderId/nobody'))?.status
}

/** Waits until the first node answers from the database again; returns the milliseconds that it took. */
export const awaitDatabase = async (cluster: Cluster, withinMs = 10_000): Promise<number> => {
  const startedAt = performance.now()
  while ((await askDatabase(cluster)) !== 404) {
    assert.ok(performance.now() - startedAt < withinMs, 'the service did not come back')
    await sleep(20)
  }
  return performance.now() - startedAt
}
