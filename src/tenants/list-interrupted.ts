import type { Context } from '../context.ts'
import { findIdle } from './store.ts'
import { tenantDirectory } from './tenants.ts'

/** A tenant of which a move or restore was interrupted; one that is refused waits for `payin tenants recover`. */
export type Interrupted = { readonly name: string; readonly isRefused: boolean }

/** The tenants of which a move or restore has begun, and that no process works on. */
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

/** What the doctor says of them. */
export const adviseOnInterrupted = async (main: Context): Promise<string[]> =>
  (await listInterrupted(main)).map(({ name, isRefused }) =>
    isRefused
      ? `The tenant ${name} is refused: a move or restore of it was interrupted. Where the service runs: payin tenants recover ${name}`
      : `A move of the tenant ${name} was interrupted; it works, but its copy and replication are left over. Where the service runs: payin tenants recover ${name}`,
  )
