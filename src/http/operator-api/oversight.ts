import { statfs } from 'node:fs/promises'
import { maskedSettings } from '../../settings/config.ts'
import type { Context } from '../../engine/context.ts'
import { readInstallation } from '../../engine/installation/read.ts'
import { version } from '../../settings/version.ts'
import { wire } from '../../operations/fields.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { installation, type InstallationAnswer } from '../../operations/installation.ts'
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

const toAnswer = async (context: Context): Promise<InstallationAnswer> => {
  const { settings, engine } = context
  const [{ database, processes, queues }, disk] = await Promise.all([
    readInstallation(context),
    readDisk(settings.dataDir),
  ])
  return {
    service: {
      version,
      node: process.versions.node,
      startedAt: wire.time(Math.round(performance.timeOrigin)),
      memory: process.memoryUsage.rss(),
      roles: [...settings.roles],
    },
    database: {
      engine,
      version: database.version,
      size: Number(database.size),
      isWritable: context.isWritable(),
      connections: Number(database.connections),
    },
    migrations: {
      applied: Number(database.migrations),
      ...(database.newestMigration === null ? {} : { newest: database.newestMigration }),
    },
    processes: processes.map(({ host, name, instance, connections }) => ({
      ...{ host, name, connections: Number(connections) },
      ...(instance !== undefined && { instance }),
    })),
    queues: queues.map(({ name, waiting, oldestAt }) => ({
      ...{ name, waiting: Number(waiting) },
      ...(oldestAt === null ? {} : { oldestAt: wire.time(oldestAt) }),
    })),
    ...disk,
    settings: Object.entries(maskedSettings(settings)).map(([name, value]) => ({
      name,
      value: settingText(value),
    })),
  }
}

/** Who the caller is. */
export const ownAccountRoute = bindNoun(ownAccount, {
  whoami: (_context, { operator, role }) => ({ name: operator, role }),
})

/** How the installation runs, and checks of all invariants (docs/domain.md §12). */
export const installationRoutes = bindNoun(installation, {
  doctor: async (context, { query: { full } }) => {
    const notes = adviseOnKeys(await readKeys(context))
    const { since, checks } = await checkChanges(context, full === 'true')
    return {
      healthy: checks.every((check) => check.broken === 0),
      ...(since === null ? {} : { since: wire.time(since) }),
      checks: [...checks],
      ...(notes.length > 0 ? { notes } : {}),
    }
  },
  installation: toAnswer,
})
