import type { Settings } from './config.ts'
import type { Database } from './database/database.ts'
import { Refusal } from './domain/refusal.ts'
import { mainServer } from './domain/tenant.ts'

/** The servers on which tenants may be; each except the main one is opened on first use, with its own pool. */
export type TenantServers = {
  readonly names: readonly string[]
  /** Refuses `database_unavailable` if the settings do not name the server. */
  get(name: string): Promise<Database>
  /** Closes all except the main one. */
  close(): Promise<void>
}

/** The servers that the settings name, besides the main one. */
export const openTenantServers = (
  main: Database,
  { tenantServers }: Pick<Settings, 'tenantServers'>,
  open: (name: string, url: string) => Promise<Database>,
): TenantServers => {
  const opened = new Map<string, Promise<Database>>([[mainServer, Promise.resolve(main)]])
  return {
    names: [mainServer, ...(tenantServers ?? []).map(({ name }) => name)],
    get: async (name) => {
      const known = opened.get(name)
      if (known) return known
      const server = tenantServers?.find((each) => each.name === name)
      if (!server) {
        throw new Refusal('database_unavailable', `PAYIN_TENANT_SERVERS of this process names no server ${name}.`, {
          retryAfterSeconds: 60,
        })
      }
      const opening = open(name, server.url)
      opened.set(name, opening)
      opening.catch(() => opened.delete(name))
      return opening
    },
    close: async () => {
      opened.delete(mainServer)
      const all = await Promise.allSettled(opened.values())
      await Promise.all(all.map((each) => (each.status === 'fulfilled' ? each.value.close() : Promise.resolve())))
    },
  }
}
