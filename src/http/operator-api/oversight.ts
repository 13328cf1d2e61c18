import { statfs } from 'node:fs/promises'
import { maskedSettings } from '../../settings/config.ts'
import type { Context } from '../../engine/context.ts'
import { readInstallation } from '../../engine/installation/read.ts'
import { version } from '../../settings/version.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { installation } from '../../operations/installation.ts'
import { ownAccount } from '../../operations/own-account.ts'
import { checkChanges } from '../../engine/invariants/check-changes.ts'
import { adviseOnKeys, readKeys } from '../../engine/key-rotation/read.ts'

const settingText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const readDisk = async (folder: string) => {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { disk: { free: bavail * bsize, total: blocks * bsize } }
  } catch {
    // With a separate database server the service may have no data directory.
    return {}
  }
}

const toAnswer = async (context: Context) => {
  const { settings, engine } = context
  const [{ database, processes, queues }, disk] = await Promise.all([
    readInstallation(context),
    readDisk(settings.dataDir),
  ])
  return {
    service: {
      version,
      node: process.versions.node,
      startedAt: Math.round(performance.timeOrigin),
      memory: process.memoryUsage.rss(),
      roles: settings.roles,
    },
    database: { ...database, engine, isWritable: context.isWritable() },
    migrations: { applied: database.migrations, newest: database.newestMigration },
    processes,
    queues,
    ...disk,
    settings: Object.entries(maskedSettings(settings)).map(([name, value]) => ({ name, value: settingText(value) })),
  }
}

/** Who the caller is. */
export const ownAccountRoute = bindOperations(ownAccount, {
  whoami: (_context, { operator, role }) => ({ name: operator, role }),
})

/** How the installation runs, and checks of all invariants (docs/domain.md §12). */
export const installationRoutes = bindOperations(installation, {
  doctor: async (context, { query: { full } }) => {
    const notes = adviseOnKeys(await readKeys(context))
    const diagnosis = await checkChanges(context, full === 'true')
    const healthy = diagnosis.checks.every(({ broken }) => broken === 0)
    return { ...diagnosis, healthy, notes: notes.length > 0 ? notes : null }
  },
  installation: toAnswer,
})
