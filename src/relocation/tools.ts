import type { Database, Session } from '../database/database.ts'
import type { TenantMigrations } from '../migrate-tenants.ts'
import type { TenantServers } from '../open-tenant-servers.ts'

/** The tools for working on tenants' schemas. */
export type Tools = {
  readonly main: Database
  readonly servers: TenantServers
  readonly migrations: TenantMigrations
  /** The address of a server, past any pooler. */
  readonly urlOf: (server: string) => string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: () => number
  readonly onProgress: (text: string) => void
}

/** Opens a session on a server for as long as `work` takes. */
export const onServer = async <T>(tools: Tools, server: string, work: (session: Session) => Promise<T>): Promise<T> => {
  const session = await (await tools.servers.get(server)).openSession()
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}
