import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertHealthy,
  type Engine,
  engines,
  openTestService,
  skipsEngine,
  type TestService,
  usualEngine,
} from './service.ts'

type SharedOptions = {
  readonly engine?: Engine
  readonly environment?: Record<string, string>
  readonly mayLogErrors?: boolean
}

const closings: (() => Promise<void>)[] = []

/** Closes all services of the file, even if one is not healthy: an open one would keep the process alive. */
const closeAll = async (): Promise<void> => {
  // The next file in this process begins without services.
  const ends = await Promise.allSettled(closings.splice(0).map((close) => close()))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/**
 * Opens one service for all tests of a file that do not depend on the storage: on PostgreSQL if there is one, else on
 * the embedded engine. Afterwards all invariants must hold and, by default, no error may have been logged.
 */
export const shareService = (options: SharedOptions = {}): (() => TestService) => {
  let service: TestService | undefined
  before(async () => {
    service = await openTestService(options.engine ?? usualEngine(), options.environment)
  })
  if (closings.length === 0) after(closeAll)
  closings.push(async () => {
    if (!service) return
    try {
      await service.runJobs()
      await assertHealthy(service)
      if (!options.mayLogErrors) assert.deepEqual(errorsLogged(service), [])
    } finally {
      await service.stop()
    }
  })
  return () => {
    if (!service) throw new Error('the service is open only while tests run')
    return service
  }
}

/** A file's services, one per engine, and how to declare a test that runs on both. */
export type SharedEngines = {
  /** The service for tests that do not depend on the storage. */
  readonly opened: () => TestService
  /**
   * Like `onBothEngines`, on the file's services: each test opens a shop. For tests that depend on locks, concurrency
   * or many rows, and for one path of each use case through its queries.
   */
  readonly onEngines: (title: string, run: (service: TestService) => Promise<void>) => void
  /** Like `onEngines`, only on the service for tests that do not depend on the storage: for further cases of a rule. */
  readonly onOne: (title: string, run: (service: TestService) => Promise<void>) => void
}

/** Opens a service per engine for the tests of a file, like `shareService`. Without a PostgreSQL it skips its runs. */
export const shareEngines = (environment: Record<string, string> = {}): SharedEngines => {
  const shared = engines.map((engine) => {
    const skip = skipsEngine(engine)
    return { engine, skip, opened: skip ? undefined : shareService({ engine, environment }) }
  })
  const opened = (): TestService => {
    const last = shared.findLast((each) => each.opened)?.opened
    if (!last) throw new Error('there is no engine')
    return last()
  }
  return {
    opened,
    onEngines: (title, run) => {
      for (const { engine, skip, opened: open } of shared) {
        test(`${title} [${engine}]`, { skip }, () => run((open ?? opened)()))
      }
    },
    onOne: (title, run) => void test(title, () => run(opened())),
  }
}

/** Log lines with level error or above. */
export const errorsLogged = (service: Pick<TestService, 'logs'>): string[] =>
  service.logs.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
