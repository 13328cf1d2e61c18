import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { parseSettings } from '../../src/settings/config.ts'
import { undeclaredRefusal } from '../../src/http/server.ts'
import { jobs } from '../../src/process/jobs/jobs.ts'
import { minute } from '../../src/rules/time.ts'
import { type Service, startService } from '../../src/process/start-service.ts'
import { findBroken } from './all-invariants.ts'
import { undescribedAnswer } from './described-answers.ts'
import { cloneEmbedded, clonePostgres } from './templates.ts'

/** The two database engines; every test of storage runs on both. */
export const engines = ['embedded', 'postgres'] as const
export type Engine = (typeof engines)[number]

/**
 * The engine for tests that do not depend on the storage: PostgreSQL if there is one, because it takes half the time.
 * `PAYIN_TEST_USUAL_ENGINE=embedded` runs them on the embedded engine instead.
 */
export const usualEngine = (): Engine =>
  process.env['TEST_DATABASE_URL'] && process.env['PAYIN_TEST_USUAL_ENGINE'] !== 'embedded' ? 'postgres' : 'embedded'

/** Why a test of both engines is skipped on this one, or false. `PAYIN_TEST_ENGINES=usual` only keeps the usual one. */
export const skipsEngine = (engine: Engine): string | false => {
  if (engine === 'postgres' && !process.env['TEST_DATABASE_URL']) return 'no PostgreSQL on this machine'
  const isLeftOut = process.env['PAYIN_TEST_ENGINES'] === 'usual' && engine !== usualEngine()
  return isLeftOut ? 'the other engine: only with --all' : false
}

/** A clock that only moves when a test moves it. */
export type TestClock = { now: number; advance(ms: number): void }

/** A complete service on a new database, listening on a free port of the loopback address. */
export type TestService = Service & {
  readonly engine: Engine
  readonly clock: TestClock
  readonly url: string
  readonly operatorToken: string
  /** Tokens of further operators, by name. */
  readonly operatorTokens: Readonly<Record<string, string>>
  /** Lines that the service has logged. */
  readonly logs: string[]
  /**
   * Runs the jobs until none finds anything to do: with `all` every job, else those that act on money and messages. The
   * others, which read everything to report or index it, take longer than most tests.
   */
  runJobs(all?: 'all'): Promise<void>
  /** Stops the service and starts it again on its database; the other fields are then those of the new one. */
  restart(): Promise<void>
}

const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'
const operatorTokens = {
  anna: 'payin_ops_test_token_of_anna_0123456789abcdef',
  boris: 'payin_ops_test_token_of_boris_0123456789abcdef',
  /** An auditor. */
  vera: 'payin_ops_test_token_of_vera_0123456789abcdef',
}
const testKey = 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE='

const settingsOf = (environment: Record<string, string>) => {
  const parsed = parseSettings({
    NODE_ENV: 'test',
    PORT: '0',
    PUBLIC_URL: 'http://payin.test',
    PAYIN_DEMO: 'off',
    PAYIN_ROLES: 'web',
    PAYIN_LOG_LEVEL: 'debug',
    PAYIN_RATE_LIMIT: '0',
    PAYIN_LONE_REPORTS_ABOVE: '999999999',
    PAYIN_ENCRYPTION_KEYS: testKey,
    PAYIN_OPERATOR_TOKEN: operatorToken,
    PAYIN_OPERATOR_TOKENS: Object.entries(operatorTokens)
      .map(([name, token]) => `${name}${name === 'vera' ? '/auditor' : ''}:${token}`)
      .join(),
    ...environment,
  })
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  return parsed.settings
}

const lookers = new Set(['evaluate-alerts', 'evaluate-slow-alerts', 'count-payment-hours'])

/** Jobs with at least this pause delete old data, and have nothing to do in a second round. */
const rarelyMs = 5 * minute

/** The jobs that act on money and messages; the others only report or index. */
export const actingJobs = jobs.filter(({ name }) => !lookers.has(name))

/**
 * Opens a service on a new database; `stop` also removes the database. It has the test's clock, or the machine's, which
 * nobody turns.
 */
export const openTestService = async (
  engine: Engine,
  environment: Record<string, string> = {},
  { usesMachineClock = false } = {},
): Promise<TestService> => {
  const server = process.env['TEST_DATABASE_URL']
  const postgres = engine === 'postgres' && server ? await clonePostgres(server) : undefined
  const dataDir = postgres ? mkdtempSync(join(tmpdir(), 'payin-test-')) : await cloneEmbedded()
  const clock: TestClock = {
    now: Date.now(),
    advance: (ms) => {
      clock.now += ms
    },
  }
  const logs: string[] = []
  const start = () =>
    startService({
      settings: settingsOf({
        PAYIN_DATA_DIR: dataDir,
        ...(postgres ? { DATABASE_URL: postgres.url } : {}),
        ...environment,
      }),
      ...(!usesMachineClock && { clock: () => clock.now }),
      log: pino({ level: 'debug' }, { write: (line: string) => void logs.push(line) }),
    })
  let service = await start()
  const opened: TestService = {
    ...service,
    engine,
    clock,
    logs,
    operatorToken,
    operatorTokens,
    url: service.address ?? '',
    runJobs: async (all) => {
      let wanted = all ? jobs : actingJobs
      for (let done = 1; done > 0; ) {
        done = 0
        for (const job of wanted) done += await job.run(service.context)
        wanted = wanted.filter(({ everyMs }) => everyMs < rarelyMs)
      }
    },
    restart: async () => {
      await service.stop()
      service = await start()
      const { context, app, address, demoToken, migrated } = service
      Object.assign(opened, { context, app, address, demoToken, migrated, url: address ?? '' })
    },
    stop: async () => {
      await service.stop()
      await postgres?.drop()
      rmSync(dataDir, { recursive: true, force: true })
      // Each operation declares its refusals (src/http/routes/routes.ts) and its answers.
      assert.deepEqual(
        logs.filter((line) => line.includes(undeclaredRefusal) || line.includes(undescribedAnswer)),
        [],
      )
    },
  }
  return opened
}

/** Fails, with examples, if any invariant of the domain is broken. */
export const assertHealthy = async (service: Pick<TestService, 'context'>): Promise<void> => {
  assert.deepEqual(await findBroken(service.context), [])
}

const onEngine = (
  engine: Engine,
  title: string,
  run: (service: TestService) => Promise<void>,
  environment: Record<string, string>,
): void => {
  test(`${title} [${engine}]`, { skip: skipsEngine(engine) }, async () => {
    const service = await openTestService(engine, environment)
    try {
      await run(service)
      // Due work is not a fault, but work that remains after the jobs is.
      await service.runJobs()
      await assertHealthy(service)
    } finally {
      await service.stop()
    }
  })
}

/**
 * Declares a test that runs on both engines, each time with a new service, and fails if an invariant is broken at the
 * end. Without a PostgreSQL, the second run is reported as skipped.
 */
export const onBothEngines = (
  title: string,
  run: (service: TestService) => Promise<void>,
  environment: Record<string, string> = {},
): void => {
  for (const engine of engines) onEngine(engine, title, run, environment)
}

/** Like `onBothEngines`, for tests that do not depend on the storage, such as those of a page's words. */
export const onOneEngine = (
  title: string,
  run: (service: TestService) => Promise<void>,
  environment: Record<string, string> = {},
): void => onEngine(usualEngine(), title, run, environment)

/** Like `onBothEngines`, for what only concerns PostgreSQL: several nodes, lost connections. */
export const onPostgres = (
  title: string,
  run: (service: TestService) => Promise<void>,
  environment: Record<string, string> = {},
): void => onEngine('postgres', title, run, environment)
