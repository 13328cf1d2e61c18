// The service as it runs for merchants: processes of their own on one database, which tests kill and start again.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type StartedProcess, startProcess } from './process.ts'
import type { Engine } from './service.ts'
import { type Answer, send } from './shop.ts'
import { cloneEmbedded, clonePostgres } from './templates.ts'

/** A process of the service. */
export type Node = {
  readonly roles: string
  readonly url: string
  /** What runs now, or ran last. */
  process(): StartedProcess
  kill(): Promise<void>
  /** Starts it again and waits until it serves. */
  start(): Promise<void>
}

/** Processes of the service on one database, with the sandbox merchant of the demo. */
export type Cluster = AsyncDisposable & {
  readonly nodes: readonly Node[]
  /** Those that serve requests. */
  readonly web: readonly Node[]
  readonly token: string
  /** Fails when a row of the database breaks an invariant. */
  assertHealthy(): Promise<void>
}

const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'

const startNode = async (roles: string, environment: Record<string, string>): Promise<Node> => {
  const port = await freePort()
  const start = (): Promise<StartedProcess> => startProcess({ ...environment, PORT: String(port), PAYIN_ROLES: roles })
  let started = await start()
  return {
    roles,
    url: `http://127.0.0.1:${port}`,
    process: () => started,
    kill: async () => void (await started.end('SIGKILL')),
    start: async () => {
      started = await start()
    },
  }
}

/** Starts a process for each of these roles, on a database of their own; `environment` wins over what is usual. */
export const openCluster = async (
  engine: Engine,
  roles: readonly string[],
  environment: Record<string, string> = {},
  server = process.env['TEST_DATABASE_URL'] ?? '',
): Promise<Cluster> => {
  const database = engine === 'postgres' ? await clonePostgres(server) : undefined
  const dataDir = database ? mkdtempSync(join(tmpdir(), 'payin-cluster-')) : await cloneEmbedded()
  const usual = {
    PAYIN_DATA_DIR: dataDir,
    PAYIN_RATE_LIMIT: '0',
    PUBLIC_URL: 'http://payin.test',
    PAYIN_LOG_LEVEL: 'error',
    PAYIN_OPERATOR_TOKEN: operatorToken,
    PAYIN_ENCRYPTION_KEYS: 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE=',
    ...(database ? { DATABASE_URL: database.url } : {}),
  }
  const nodes = await Promise.all(roles.map((each) => startNode(each, { ...usual, ...environment })))
  const web = nodes.filter((node) => node.roles.includes('web'))
  const token = /payin_test_\w+/.exec(web[0]?.process().output() ?? '')?.[0] ?? ''
  return {
    nodes,
    web,
    token,
    assertHealthy: async () => {
      const headers = { authorization: `Bearer ${operatorToken}` }
      const { body } = await send({ url: web[0]?.url ?? '' }, '/api/v1/operator/doctor', { headers })
      const broken = body.checks?.filter((check: { broken: number }) => check.broken > 0)
      assert.deepEqual(broken, [], JSON.stringify(body))
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** One request to a node that may not be there: undefined where no whole answer came. */
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
