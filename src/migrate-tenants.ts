import type { Database, Queryable } from './database/database.ts'
import { Misconfigured } from './domain/refusal.ts'
import { mainServer, schemaOfTenant } from './domain/tenant.ts'
import type { TenantServers } from './open-tenant-servers.ts'
import { makeDirectory } from './tenants/tenant.ts'
import { findDirectory, findOldDirectory, markMigrated, selectTenants } from './tenants/store.ts'

/** How the schemas of tenants are updated. */
export type TenantMigrations = {
  /** Applies the migrations that a schema lacks. */
  readonly apply: (database: Database) => Promise<unknown>
  /** The newest migration of this version. */
  readonly newest: string
  /** Whether the directory may be changed. */
  readonly mayApply: boolean
  readonly onLog: (message: string) => void
}

/** Updates the schema of a tenant, on its server. */
export const migrateTenant = async (
  directory: Queryable,
  server: Database,
  name: string,
  { apply, newest }: TenantMigrations,
): Promise<void> => {
  const database = server.inSchema(schemaOfTenant(name))
  try {
    await apply(database)
  } finally {
    await database.close()
  }
  await directory.query(markMigrated, { name, newestMigration: newest })
}

/** Adds what this release needs to a directory of an earlier release. */
const upgradeDirectory = async (main: Database, { mayApply }: TenantMigrations): Promise<void> => {
  const [directory] = await main.query(findOldDirectory, {})
  if (!directory?.isOld) return
  if (!mayApply) {
    throw new Error(
      'The directory of tenants is that of an earlier release, and PAYIN_MIGRATE=off forbids changing it. Run "PAYIN_MIGRATE=only npm start" as a role that may, then start again.',
    )
  }
  const session = await main.openSession()
  try {
    await makeDirectory(session)
  } finally {
    await session.close()
  }
}

/**
 * Updates the schemas of all tenants, one after the other, and returns the names of those that were outdated. Tenants
 * whose key is missing, or on other servers, which may be unreachable, are left for later unless `isStrict`: each is
 * updated before it serves anybody.
 */
export const migrateTenants = async (
  main: Database,
  servers: TenantServers,
  migrations: TenantMigrations,
  isStrict: boolean,
): Promise<string[]> => {
  await upgradeDirectory(main, migrations)
  const [directory] = await main.query(findDirectory, {})
  const tenants = directory?.exists ? await main.query(selectTenants, {}) : []
  const old = tenants.filter((row) => row.state === 'active' && row.newestMigration < migrations.newest)
  const done: string[] = []
  for (const { name, server } of old) {
    try {
      await migrateTenant(main, await servers.get(server), name, migrations)
      done.push(name)
    } catch (error) {
      const mayWait = server !== mainServer || error instanceof Misconfigured
      if (isStrict || !mayWait) throw error
      migrations.onLog(`the tenant ${name} on the server ${server} is not up to date yet: ${(error as Error).message}`)
    }
  }
  return done
}
