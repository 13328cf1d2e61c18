import type { Settings } from './config.ts'
import type { Context } from './context.ts'
import type { Database } from './database/database.ts'
import { mainTenant, schemaOfTenant } from './domain/tenant.ts'
import { Refusal } from './domain/refusal.ts'
import { claimMainNumbers } from './tenants/claim-main-numbers.ts'
import {
  directoryCommands,
  findDirectory,
  insertTenant,
  markMigrated,
  selectTenants,
  type TenantRow,
} from './tenants/store.ts'
import { findTenantOf, tenantDirectory, type Tenants } from './tenants/tenants.ts'

/** What tenants are opened with. */
export type TenantOptions = {
  readonly main: Context
  readonly database: Database
  /** Makes the context of a tenant over its database. */
  readonly createContext: (tenant: string, database: Database) => Promise<Context>
  readonly migrations: TenantMigrations
}

/**
 * The settings of a tenant besides `main`: notifications to hanging receivers of some tenants must not take up all the
 * connections that the process may open.
 */
export const settingsOfTenant = (settings: Settings): Settings => ({
  ...settings,
  notificationsInFlight: Math.max(1, Math.floor(settings.notificationsInFlight / 16)),
})

/** How the schemas of tenants are brought up to date. */
export type TenantMigrations = {
  /** Applies the migrations that a schema lacks. */
  readonly apply: (database: Database) => Promise<unknown>
  /** The newest migration of this version. */
  readonly newest: string
}

const migrateTenant = async (main: Database, name: string, { apply, newest }: TenantMigrations): Promise<void> => {
  const database = main.inSchema(schemaOfTenant(name))
  try {
    await apply(database)
  } finally {
    await database.close()
  }
  await main.query(markMigrated, { name, newestMigration: newest })
}

/** Brings the schemas of all tenants up to date, one after the other, and returns the names of those that were not. */
export const migrateTenants = async (main: Database, migrations: TenantMigrations): Promise<string[]> => {
  const [directory] = await main.query(findDirectory, {})
  const tenants = directory?.exists ? await main.query(selectTenants, {}) : []
  const old = tenants.filter((row) => row.state === 'active' && row.newestMigration < migrations.newest)
  for (const { name } of old) await migrateTenant(main, name, migrations)
  return old.map(({ name }) => name)
}

/** How often it is looked whether tenants were added; `isOne` is no older. */
const lookEveryMs = 1000

/** The tenants of a process; `close` ends their contexts, and leaves that of `main`. */
export class OpenTenants implements Tenants {
  readonly main: Context
  readonly #options: TenantOptions
  readonly #open = new Map<string, Promise<Context>>()
  readonly #databases: Database[] = []
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
    const active = this.#rows.filter((row) => row.state === 'active')
    return [this.main, ...(await Promise.all(active.map((row) => this.#context(row.name))))]
  }

  async find(name: string): Promise<Context | undefined> {
    if (name === mainTenant) return this.main
    await this.#look()
    const row = this.#rows.find((each) => each.name === name)
    return row?.state === 'active' ? this.#context(name) : undefined
  }

  async ofKey(kind: Parameters<Tenants['ofKey']>[0], key: string): Promise<Context> {
    if (this.isOne()) return this.main
    const name = await findTenantOf(this.main, kind, key)
    return (name === undefined ? undefined : await this.find(name)) ?? this.main
  }

  async prepare(name: string): Promise<void> {
    const { database, migrations } = this.#options
    await this.#look()
    if (name === mainTenant || this.#rows.some((row) => row.name === name && row.state === 'active'))
      throw new Refusal('already_exists', `There is a tenant named ${name} already.`)
    if (this.isOne()) await this.#makeDirectory()
    await this.main.query(insertTenant, { name, schemaName: schemaOfTenant(name), now: this.main.clock() })
    await migrateTenant(database, name, migrations)
  }

  /** Ends the waiting for changes of all tenants besides `main`, at shutdown. */
  stopWaiting(): void {
    for (const opening of this.#open.values())
      opening.then(
        ({ changes }) => changes.close(),
        () => undefined,
      )
  }

  /** Ends the contexts of all tenants besides `main`. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.allSettled(this.#open.values())
    await Promise.all(this.#databases.map((database) => database.close()))
  }

  async #look(): Promise<void> {
    this.#rows = (await this.main.catalog.get(tenantDirectory)).tenants
  }

  /** Makes the directory before the first tenant; what `main` has that must belong to one tenant only is entered. */
  async #makeDirectory(): Promise<void> {
    const session = await this.#options.database.openSession()
    try {
      for (const command of directoryCommands) await session.run(command)
    } finally {
      await session.close()
    }
    await this.main.transaction(claimMainNumbers)
  }

  #context(name: string): Promise<Context> {
    const open = this.#open.get(name)
    if (open) return open
    const database = this.#options.database.inSchema(schemaOfTenant(name))
    this.#databases.push(database)
    const opening = this.#options.createContext(name, database)
    this.#open.set(name, opening)
    opening.catch(() => this.#open.delete(name))
    return opening
  }
}
