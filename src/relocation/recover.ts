import type { Session } from '../database/database.ts'
import { schemaOfTenant } from '../domain/tenant.ts'
import type { TenantRow } from '../tenants/store.ts'
import { hasSchema } from './fence.ts'
import { endReplication } from './replicate.ts'
import { noteRecovering, noteRecovered, noteWhole } from './store.ts'
import { alone, changeDirectory, findTenant, readTenant } from './tenant-row.ts'
import { onServer, type Tools } from './tools.ts'

const dropSchemas = async (session: Session, ...schemas: (string | null)[]): Promise<void> => {
  for (const schema of schemas) if (schema !== null) await session.run(`drop schema if exists ${schema} cascade`)
}

/** Restores the name of the schema, in place of what was restored under it. */
const takeBack = (tools: Tools, { name, server, keptSchema }: TenantRow): Promise<void> =>
  onServer(tools, server, async (session) => {
    if (keptSchema === null || !(await hasSchema(session, keptSchema))) return
    await dropSchemas(session, schemaOfTenant(name))
    await session.run(`alter schema ${keptSchema} rename to ${schemaOfTenant(name)}`)
  })

const removeCopy = (tools: Tools, { name, server, otherServer, keptSchema }: TenantRow): Promise<void> =>
  otherServer === null || otherServer === server
    ? Promise.resolve()
    : onServer(tools, server, (source) =>
        onServer(tools, otherServer, async (target) => {
          await endReplication(name, source, target)
          await dropSchemas(target, schemaOfTenant(name), keptSchema)
        }),
      )

/**
 * Undoes what an interrupted move or restore has left: the tenant works as before. Finished changes stay. Returns
 * whether there was anything to undo.
 */
export const recover = async (tools: Tools, name: string): Promise<boolean> => {
  const row = await findTenant(tools.main, name)
  const isStopped = row?.state === 'switching' || row?.state === 'stopped'
  const wasRecovering = row?.state === 'preparing' && row.keptSchema !== null
  const isCopying = row?.state === 'active' && row.otherServer !== null && row.keptSchema === null
  if (!row || !(isStopped || wasRecovering || isCopying)) return false
  if (isStopped || wasRecovering) {
    // From here on, whoever stopped it cannot activate it any more, even if its commit is still on its way.
    const change = { name, server: row.server }
    const [taken] = await changeDirectory(tools.main, (tx) => tx.query(noteRecovering, change))
    if (!taken) return false
    if (row.newestMigration === '') {
      // The interrupted restore was to create the tenant.
      await onServer(tools, row.server, (session) => dropSchemas(session, schemaOfTenant(name)))
      await changeDirectory(tools.main, (tx) => tx.query(noteWhole, { name }))
      return true
    }
    await takeBack(tools, row)
  }
  // The tenant works again and still counts as being copied; the rest is clean-up.
  if (isStopped || wasRecovering) await changeDirectory(tools.main, (tx) => tx.query(noteRecovered, { name }))
  await removeCopy(tools, row)
  await changeDirectory(tools.main, (tx) => tx.query(noteWhole, { name }))
  return true
}

/** `recover` as the only process that works on the tenant. */
export const recoverTenant = (tools: Tools, name: string): Promise<boolean> =>
  alone(tools.main, name, () => recover(tools, name))

/** Removes the schema that a move or restore has kept, and returns its name. */
export const dropKeptSchema = (tools: Tools, name: string): Promise<string> =>
  alone(tools.main, name, async () => {
    const row = await readTenant(tools.main, name)
    const { keptSchema, otherServer, server, state } = row
    if (keptSchema === null || (state !== 'active' && state !== 'retired'))
      throw new Error(`No former copy of ${name} is kept.`)
    const at = otherServer ?? server
    await onServer(tools, at, async (former) => {
      if (at !== server) await onServer(tools, server, (now) => endReplication(name, former, now))
      await dropSchemas(former, keptSchema)
    })
    await changeDirectory(tools.main, (tx) => tx.query(noteWhole, { name }))
    return keptSchema
  })
