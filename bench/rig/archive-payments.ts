import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { day } from '../../src/domain/time.ts'
import { checkChanges } from '../../src/invariants/check-changes.ts'
import { jobs } from '../../src/jobs/jobs.ts'
import type { Database } from './open-bench.ts'
import { openPayin } from './payin.ts'

/** Jobs that must run first: payments with deliveries are not archived. */
const clearing = ['remind-of-acks', 'clean-deliveries', 'archive-slots']

/**
 * Lets a hundred days pass, so that finished payments are archived. Calls `cleared` when everything else that is old
 * has been deleted. Returns the bytes of the files, the time that archiving took, and the broken invariants.
 */
export const archivePayments = async (database: Database, cleared: () => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-bench-archive-'))
  const settings = {
    PAYIN_FILE_STORAGE: pathToFileURL(folder).href,
    PAYIN_ARCHIVE_AFTER_DAYS: '90',
    PAYIN_ROLES: 'web',
  }
  const service = await openPayin(database, settings, () => Date.now() + 100 * day)
  try {
    const broken = async (full: boolean) =>
      (await checkChanges(service.context, { full })).checks.filter((check) => check.broken > 0).map(({ name }) => name)
    const before = await broken(false)
    if (before.length > 0) throw new Error(`broken before archiving: ${before.join(', ')}`)
    const finish = async (name: string): Promise<void> => {
      const job = jobs.find((each) => each.name === name)
      while (job && (await job.run(service.context)) > 0);
    }
    for (const name of clearing) await finish(name)
    await cleared()
    const startedAt = performance.now()
    await finish('archive-history')
    const ms = performance.now() - startedAt
    const stored = join(folder, 'archive')
    const bytes = readdirSync(stored).reduce((sum, name) => sum + statSync(join(stored, name)).size, 0)
    return { bytes, ms, broken: await broken(true) }
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}
