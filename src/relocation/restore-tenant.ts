import type { Database } from '../database/database.ts'
import { schemaOfTenant } from '../domain/tenant.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { insertTenant, selectKeys, type TenantRow } from '../tenants/store.ts'
import { renewKeys } from '../tenants/enter-keys.ts'
import { fence, hasSchema, keptName } from './fence.ts'
import { stop } from './move-tenant.ts'
import { dumpSchema, listSchemas, restoreSchema } from './postgres-programs.ts'
import { analyse } from './replicate.ts'
import { noteRestored, noteWhole, raiseVersions } from './store.ts'
import { alone, changeDirectory, findTenant, readTenant } from './tenant-row.ts'
import { onServer, type Tools } from './tools.ts'
import { recover } from './recover.ts'

/** Writes a backup of a tenant into a new file. */
export const backupTenant = async (tools: Tools, name: string, file: string): Promise<void> => {
  const row = await readTenant(tools.main, name)
  if (row.state !== 'active' && row.state !== 'retired') throw new Error(`The tenant ${name} is ${row.state}.`)
  await dumpSchema(tools, row.server, schemaOfTenant(name), file)
}

/** Migrates a restored schema to this version, and checks its books. */
const finish = async (tools: Tools, server: Database, name: string): Promise<void> => {
  const database = server.inSchema(schemaOfTenant(name))
  try {
    await tools.migrations.apply(database)
    await analyse(server, schemaOfTenant(name))
    // Processes remember what they have read by its version, which must not recur with other content.
    await database.query(raiseVersions, {})
    tools.onProgress('checking the books')
    const checks = await checkInvariants({ query: (asked, given) => database.query(asked, given), clock: tools.clock })
    const broken = checks.filter((check) => check.broken > 0)
    if (broken.length > 0)
      throw new Error(`The books of the backup are wrong: ${broken.map((each) => each.name).join(', ')}.`)
    await renewKeys(tools.main, name, await database.query(selectKeys, {}))
  } finally {
    await database.close()
  }
}

const findOrAdd = async (tools: Tools, name: string, server: string): Promise<TenantRow> => {
  const found = await findTenant(tools.main, name)
  if (found) return found
  const row = { name, schemaName: schemaOfTenant(name), server, now: tools.clock() }
  await changeDirectory(tools.main, (tx) => tx.query(insertTenant, row))
  return readTenant(tools.main, name)
}

const replace = async (tools: Tools, row: TenantRow, file: string): Promise<string | undefined> => {
  const { name, server } = row
  const schema = schemaOfTenant(name)
  const kept = keptName('replaced', name, tools.clock())
  await stop(tools, row, 'stopped', kept)
  const hadOne = await onServer(tools, server, async (session) => {
    const found = await hasSchema(session, schema)
    if (found) await fence(session, schema, kept)
    return found
  })
  tools.onProgress('restoring')
  await restoreSchema(tools, server, file)
  await finish(tools, await tools.servers.get(server), name)
  const change = { name, newestMigration: tools.migrations.newest }
  const [restored] = await changeDirectory(tools.main, (tx) => tx.query(noteRestored, change))
  if (!restored) throw new Error('Restoring was given up by another process.')
  if (!hadOne) await changeDirectory(tools.main, (tx) => tx.query(noteWhole, { name }))
  return hadOne ? kept : undefined
}

/**
 * Restores a tenant from a backup, and returns the schema in which its former state is kept. The tenant is refused
 * meanwhile. If that fails, the tenant works as before. Throws readable errors.
 */
export const restoreTenant = (tools: Tools, name: string, file: string, server: string): Promise<string | undefined> =>
  alone(tools.main, name, async () => {
    const schemas = await listSchemas(tools, file)
    if (schemas.join() !== schemaOfTenant(name))
      throw new Error(`The backup is of ${schemas.join(', ').replaceAll('tenant_', '')}, not of ${name}.`)
    await recover(tools, name)
    const row = await findOrAdd(tools, name, server)
    if (row.state !== 'active' && row.state !== 'preparing') throw new Error(`The tenant ${name} is ${row.state}.`)
    if (row.keptSchema !== null)
      throw new Error(`A former copy of ${name} is kept. Remove it first: payin tenants drop-copy ${name}`)
    try {
      return await replace(tools, row, file)
    } catch (error) {
      tools.onProgress('taking it back')
      await recover(tools, name)
      throw error
    }
  })
