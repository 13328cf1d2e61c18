// The services that the tests of a file share.
import { test } from 'node:test'
import { query } from 'payin-database'
import { notified } from '../support/notified.ts'
import { type Engine, engines, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'

type DeclareTest = (title: string, run: (service: TestService) => Promise<void>) => void

/** No answer of these tests is late, however busy the machine is. */
const environment = { ...notified, PAYIN_NOTIFICATION_TIMEOUT_MS: '10000' }

const removeAll = query('test_remove_endpoints', {
  text: `update notification_endpoints set status = 'removed' where status = 'enabled'`,
})

/** Removes all enabled endpoints of a service, so that nothing is left to deliver to them. */
export const removeEndpoints = async ({ context }: Pick<TestService, 'context'>): Promise<void> => {
  await context.query(removeAll, {})
}

/**
 * Opens a service per engine for all tests of a file, and declares tests on them. Each test opens shops of its own and
 * leaves nothing to deliver to the next one; see `shareService` for what holds at the end. Without a PostgreSQL its tests
 * are skipped loudly.
 */
export const shareNotified = ({
  on = engines,
  mayLogErrors = false,
}: {
  readonly on?: readonly Engine[]
  readonly mayLogErrors?: boolean
} = {}): { readonly onEngines: DeclareTest; readonly onPostgres: DeclareTest } => {
  const shared = on.map((engine) => {
    const isMissing = engine === 'postgres' && !process.env['TEST_DATABASE_URL']
    const skip = isMissing ? 'no PostgreSQL on this machine' : false
    return { engine, skip, opened: skip ? undefined : shareService({ engine, environment, mayLogErrors }) }
  })
  const declare = (only: readonly Engine[], title: string, run: (service: TestService) => Promise<void>): void => {
    for (const { engine, skip, opened } of shared.filter((each) => only.includes(each.engine))) {
      test(`${title} [${engine}]`, { skip }, async () => {
        const service = opened?.()
        if (!service) throw new Error('the service is not open')
        try {
          await run(service)
          await service.runJobs()
        } finally {
          await removeEndpoints(service)
        }
      })
    }
  }
  return {
    onEngines: (title, run) => declare(engines, title, run),
    onPostgres: (title, run) => declare(['postgres'], title, run),
  }
}
