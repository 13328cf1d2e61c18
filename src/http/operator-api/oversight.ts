import { type Static, Type } from '../../operations/schema.ts'
import { statfs } from 'node:fs/promises'
import { maskedSettings } from '../../settings/config.ts'
import type { Context } from '../../engine/context.ts'
import { readInstallation } from '../../engine/installation/read.ts'
import { version } from '../../settings/version.ts'
import { Time } from '../../operations/fields.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { ownAccount } from '../../operations/own-account.ts'
import { routesForOperators } from '../routes/routes.ts'
import { checkChanges } from '../../engine/invariants/check-changes.ts'
import { adviseOnKeys, readKeys } from '../../engine/key-rotation/read.ts'

const Bytes = (description: string) => Type.Integer({ minimum: 0, description })

const InstallationAnswer = Type.Object({
  service: Type.Object({
    version: Type.String({ examples: [version] }),
    node: Type.String({ examples: ['24.12.0'] }),
    startedAt: { ...Time, description: 'When the process that responds was started.' },
    memory: Bytes('Memory of this process in bytes.'),
    roles: Type.Array(Type.String()),
  }),
  database: Type.Object({
    engine: Type.String({ examples: ['postgres', 'embedded'] }),
    version: Type.String({ examples: ['17.6'] }),
    size: Bytes('Bytes of tables and indexes.'),
    isWritable: Type.Boolean(),
    connections: Type.Integer(),
  }),
  migrations: Type.Object({ applied: Type.Integer(), newest: Type.Optional(Type.String()) }),
  processes: Type.Rows(
    'Processes with open connections, each listed once; those without an instance are distinguished by host and name.',
    {
      host: Type.Text('Where its connections come from.'),
      name: Type.Text('Name with the newest migration that its version knows.', 'payin 0039'),
      instance: Type.Optional(
        Type.Text('Its roles, number and host, as it names itself; long texts are cut off.', 'web,worker 4711@pay-1'),
      ),
      connections: Type.Integer(),
    },
  ),
  queues: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['deliveries'] }),
      waiting: Type.Whole('How many are due now; 10,000 means that or more.'),
      oldestAt: Type.Optional(Time, 'Since when the oldest is due.'),
    }),
  ),
  disk: Type.Optional(
    Type.Group('The disk of the data directory.', {
      free: Bytes('Bytes that are free.'),
      total: Bytes('Total bytes.'),
    }),
  ),
  settings: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'The settings in force, by variable; for a secret, only whether it is set.',
  }),
})

/** How an installation runs. */
export type InstallationAnswer = Static<typeof InstallationAnswer>

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

/** How the installation runs. */
export const installationRoute = routesForOperators().get('/installation', 'read', {
  id: 'getInstallation',
  summary: 'Show how the installation runs: versions, database, queues, processes, disk and settings',
  description: 'What the responding process knows, and what all processes share in the database.',
  answer: InstallationAnswer,
  handle: toAnswer,
})

/** Who the caller is. */
export const ownAccountRoute = bindOperations(ownAccount, {
  whoami: (_context, { operator, role }) => ({ name: operator, role }),
})

const DiagnosisAnswer = Type.Titled('Diagnosis', {
  healthy: Type.Boolean(),
  // Absent if the whole database was read.
  since: Type.Optional(Time),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      meaning: Type.String({ description: 'What always holds, in one sentence.' }),
      broken: Type.Whole('Rows that violate it; 0 is healthy.'),
      examples: Type.Array(Type.String()),
    }),
  ),
  notes: Type.Optional(
    Type.Array(Type.String({ examples: ['The key k1 is not needed any more: remove it.'] }), {
      description: 'What is not broken but should be done, such as removing an old key.',
    }),
  ),
})

/** Which invariants hold, and which rows break the others. */
export type DiagnosisAnswer = Static<typeof DiagnosisAnswer>

/** The check of all invariants (docs/domain.md §12). */
export const doctorRoutes = routesForOperators().get('/doctor', 'read', {
  id: 'checkInvariants',
  summary: 'Check every invariant',
  description: 'Reads what has changed since the last check without violations; with `full`, the whole database.',
  query: { full: Type.Optional(Type.OneOf(['true', 'false'], 'Read everything, including what was verified before.')) },
  answer: DiagnosisAnswer,
  handle: async (context, { query: { full } }) => {
    const notes = adviseOnKeys(await readKeys(context))
    const diagnosis = await checkChanges(context, { full: full === 'true' })
    const healthy = diagnosis.checks.every(({ broken }) => broken === 0)
    return { ...diagnosis, healthy, notes: notes.length > 0 ? notes : null }
  },
})
