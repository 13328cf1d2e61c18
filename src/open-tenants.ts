import type { Settings } from './config.ts'
import type { Context } from './context.ts'
import type { Database } from './database/database.ts'
import { toRefusal } from './database/database-error.ts'
import { type MovableDatabase, openMovable, type Whereabouts } from './database/movable-database.ts'
import { mainServer, mainTenant, schemaOfTenant, type TenantState } from './domain/tenant.ts'
import { Refusal } from './domain/refusal.ts'
import { migrateTenant, type TenantMigrations } from './migrate-tenants.ts'
import type { TenantServers } from './open-tenant-servers.ts'
import { claimMainNumbers, makeDirectory } from './tenants/tenant.ts'
import { findTenantRow, insertTenant, type TenantRow } from './tenants/store.ts'
import { findTenantOf, tenantDirectory, type Tenants } from './tenants/tenants.ts'

/** What is needed to open tenants. */
export type TenantOptions = {
  readonly main: Context
  readonly database: Database
  readonly servers: TenantServers
  readonly createContext: (tenant: string, database: Database) => Promise<Context>
  readonly migrations: TenantMigrations
}

/**
 * The settings of a tenant other than `main`: notifications of some tenants to hanging receivers must not use all
 * connections that the process may open.
 */
export const settingsOfTenant = (settings: Settings): Settings => ({
  ...settings,
  notificationsInFlight: Math.max(1, Math.floor(settings.notificationsInFlight / 16)),
})

/** How often to check for added tenants; `isOne` is never older. */
const lookEveryMs = 1000

const stoppedBy = (state: TenantState): Whereabouts['stopped'] => {
  if (state === 'switching') return 'shortly'
  return state === 'stopped' || state === 'preparing' ? 'longer' : 'no'
}

const works = ({ state }: TenantRow): boolean => state === 'active' || state === 'switching' || state === 'stopped'

type Opened = { readonly context: Context; readonly database: MovableDatabase }

/** The tenants of a process; `close` ends their contexts, except that of `main`. */
export class OpenTenants implements Tenants {
  readonly main: Context
  readonly #options: TenantOptions
  readonly #open = new Map<string, Promise<Opened>>()
  /** Those that could not be opened at the last try, so that it is reported only once. */
  readonly #failed = new Set<string>()
  #rows: readonly TenantRow[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: TenantOptions) {
    this.main = options.main
    this.#options = options
  }

  /** Reads the directory, and again every second. */
  async start(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), lookEveryMs).unref()
  }

  isOne(): boolean {
    return this.#rows.length === 0
  }

  async list(): Promise<Context[]> {
    await this.#look()
    const opened = await Promise.all(this.#rows.filter(works).map((row) => this.#tryOpen(row)))
    return [this.main, ...opened.filter((context) => context !== undefined)]
  }

  async rows(): Promise<readonly TenantRow[]> {
    await this.#look()
    return this.#rows
  }

  async find(name: string): Promise<Context | undefined> {
    if (name === mainTenant) return this.main
    await this.#look()
    const row = this.#rows.find((each) => each.name === name)
    return row && row.state !== 'preparing' ? (await this.#opened(row)).context : undefined
  }

  isRetired(name: string): boolean {
    return this.#rows.some((row) => row.name === name && row.state === 'retired')
  }

  async ofKey(kind: Parameters<Tenants['ofKey']>[0], key: string): Promise<Context> {
    if (this.isOne()) return this.main
    const name = await findTenantOf(this.main, kind, key)
    if (name === undefined) return this.main
    const context = await this.find(name)
    if (this.isRetired(name)) {
      throw kind === 'token'
        ? new Refusal('merchant_suspended', 'The tenant of this merchant is retired.')
        : new Refusal('payment_not_found', 'What this address is for has been closed.')
    }
    return context ?? this.main
  }

  async prepare(name: string, server: string): Promise<void> {
    const { servers, migrations } = this.#options
    await this.#look()
    if (name === mainTenant || this.#rows.some((row) => row.name === name && row.state !== 'preparing'))
      throw new Refusal('already_exists', `There is already a tenant named ${name}.`)
    if (!servers.names.includes(server)) {
      const known = servers.names.join(', ')
      throw new Refusal('resource_not_found', `There is no server ${server}. PAYIN_TENANT_SERVERS has: ${known}.`)
    }
    if (this.isOne()) await this.#makeDirectory()
    const schemaName = schemaOfTenant(name)
    const row = { name, schemaName, server, now: this.main.clock() }
    await this.main.query(insertTenant, row)
    const [found] = await this.main.query(findTenantRow, { name })
    if (found?.server !== server)
      throw new Refusal('already_exists', `The tenant ${name} is being created on the server ${found?.server}.`)
    await migrateTenant(this.main, await servers.get(server), name, migrations)
  }

  /** Ends all waiting for changes of tenants other than `main`, at shutdown. */
  stopWaiting(): void {
    for (const opening of this.#open.values())
      opening.then(
        ({ context }) => context.changes.close(),
        () => undefined,
      )
  }

  /** Ends the contexts of all tenants other than `main`. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    const opened = await Promise.allSettled(this.#open.values())
    await Promise.all(
      opened.map((each) => (each.status === 'fulfilled' ? each.value.database.close() : Promise.resolve())),
    )
  }

  async #look(): Promise<void> {
    const { tenants } = await this.main.catalog.get(tenantDirectory)
    if (tenants === this.#rows) return
    this.#rows = tenants
    // Tenants whose schema has been moved continue there, even without requests.
    for (const { name, server, state } of tenants) {
      const opening = state === 'active' ? this.#open.get(name) : undefined
      opening?.then(({ database }) => database.follow(server)).catch(() => undefined)
    }
  }

  /** Creates the directory before the first tenant; enters the keys of `main` that only one tenant may have. */
  async #makeDirectory(): Promise<void> {
    const session = await this.#options.database.openSession()
    try {
      await makeDirectory(session)
    } finally {
      await session.close()
    }
    await this.main.transaction(claimMainNumbers)
  }

  async #tryOpen(row: TenantRow): Promise<Context | undefined> {
    try {
      const { context } = await this.#opened(row)
      this.#failed.delete(row.name)
      return context
    } catch (error) {
      if (!this.#failed.has(row.name)) this.main.log.warn({ err: error, tenant: row.name }, 'a tenant cannot be opened')
      this.#failed.add(row.name)
      return undefined
    }
  }

  #opened(row: TenantRow): Promise<Opened> {
    const { name } = row
    const known = this.#open.get(name)
    if (known) return known
    const opening = this.#openRow(row).catch((error: unknown) => {
      throw toRefusal(error)
    })
    this.#open.set(name, opening)
    opening.catch(() => this.#open.delete(name))
    return opening
  }

  async #openRow({ name, server, state, newestMigration }: TenantRow): Promise<Opened> {
    const { servers, createContext, migrations } = this.#options
    // Its server was unreachable when this process started.
    if (state === 'active' && newestMigration < migrations.newest)
      await migrateTenant(this.main, await servers.get(server), name, migrations)
    const database = await openMovable({
      server,
      open: async (at) => ({
        server: at,
        database: (await servers.get(at)).inSchema(schemaOfTenant(name)),
        directory: at === mainServer ? undefined : this.main,
      }),
      locate: async () => {
        const [row] = await this.main.query(findTenantRow, { name })
        return row ? { server: row.server, stopped: stoppedBy(row.state) } : { server, stopped: 'longer' }
      },
    })
    try {
      return { context: await createContext(name, database), database }
    } catch (error) {
      await database.close()
      throw error
    }
  }
}
