import type { Context } from '../context.ts'
import type { CatalogPart } from '../database/catalog.ts'
import type { EntryKind } from '../domain/tenant.ts'
import { findDirectory, findEntry, selectTenants, type TenantRow, findIdle } from './store.ts'

/** The tenants of a process, each with its context; with `main` alone, look-ups cost nothing. */
export type Tenants = {
  readonly main: Context
  /** Whether `main` is the only one, as of the last second. */
  isOne(): boolean
  /** All that work, `main` first: without retired tenants and those whose server is unreachable. */
  list(): Promise<Context[]>
  /** The directory's rows of the tenants other than `main`; opens none of them. */
  rows(): Promise<readonly TenantRow[]>
  /** The context of a tenant, even a retired one; undefined if it does not exist. */
  find(name: string): Promise<Context | undefined>
  /** Whether a tenant is retired, as of the last second. */
  isRetired(name: string): boolean
  /**
   * The context of the tenant that a key belongs to: `main` if it has no entry. For a retired tenant, refuses
   * `merchant_suspended` for a token, else `payment_not_found`.
   */
  ofKey(kind: EntryKind, key: string): Promise<Context>
  /**
   * Creates the schema of a new tenant on a server, or finishes creating it; `activateTenant` activates it. Refuses
   * `already_exists`, and `resource_not_found` for a server that the settings do not name.
   */
  prepare(name: string, server: string): Promise<void>
}

/** Most keys that a process remembers; beyond that it forgets the one that was read first. */
const maxRemembered = 10_000

/** The tenants other than `main`, and the tenants of keys that were read since a tenant was last added or changed. */
export type Directory = { readonly tenants: readonly TenantRow[]; readonly known: Map<string, string> }

/** The directory, kept in the catalog of `main`: after a change by one process, all read it again within a second. */
export const tenantDirectory: CatalogPart<Directory> = {
  name: 'tenants',
  load: async (sql) => {
    const [directory] = await sql.query(findDirectory, {})
    const tenants = directory?.exists ? await sql.query(selectTenants, {}) : []
    return { tenants, known: new Map() }
  },
}

/** The tenant that a key is entered for. */
export const findTenantOf = async (main: Context, kind: EntryKind, key: string): Promise<string | undefined> => {
  const { tenants, known } = await main.catalog.get(tenantDirectory)
  if (tenants.length === 0) return undefined
  const name = `${kind} ${key}`
  const remembered = known.get(name)
  if (remembered !== undefined) return remembered
  const [entry] = await main.query(findEntry, { kind, key })
  if (!entry) return undefined
  const [oldest] = known.keys()
  if (known.size >= maxRemembered && oldest !== undefined) known.delete(oldest)
  known.set(name, entry.tenant)
  return entry.tenant
}

/** The tenants of a process that serves only `main`. */
export const onlyMain = (main: Context): Tenants => ({
  main,
  isOne: () => true,
  list: () => Promise.resolve([main]),
  rows: () => Promise.resolve([]),
  find: (name) => Promise.resolve(name === main.tenant ? main : undefined),
  isRetired: () => false,
  ofKey: () => Promise.resolve(main),
  prepare: () => Promise.reject(new Error('this process serves one tenant')),
})

/** A tenant with an interrupted move or restore; a refused one waits for `payin tenants recover`. */
export type Interrupted = { readonly name: string; readonly isRefused: boolean }

/** The tenants whose move or restore has begun, but that no process works on. */
export const listInterrupted = async (main: Context): Promise<Interrupted[]> => {
  const { tenants } = await main.catalog.get(tenantDirectory)
  const begun = tenants.flatMap(({ name, state, otherServer, keptSchema }): Interrupted[] => {
    const isRefused = state === 'switching' || state === 'stopped' || (state === 'preparing' && keptSchema !== null)
    const isCopied = state === 'active' && otherServer !== null && keptSchema === null
    return isRefused || isCopied ? [{ name, isRefused }] : []
  })
  if (begun.length === 0) return []
  const idle = await main.query(findIdle, { rows: begun })
  const names = new Set(idle.map(({ name }) => name))
  return begun.filter(({ name }) => names.has(name))
}

/** The doctor's findings about them. */
export const adviseOnInterrupted = async (main: Context): Promise<string[]> =>
  (await listInterrupted(main)).map(({ name, isRefused }) =>
    isRefused
      ? `The tenant ${name} is refused: a move or restore of it was interrupted. Where the service runs: payin tenants recover ${name}`
      : `A move of the tenant ${name} was interrupted; it works, but its copy and replication are left over. Where the service runs: payin tenants recover ${name}`,
  )
