import { raiseCatalogVersion } from '../database/catalog.ts'
import type { Database, OpenTransaction, Session } from '../database/database.ts'
import { findDirectory, findTenantRow, takeTurn, type TenantRow } from '../tenants/store.ts'

/** The current row of a tenant in the directory; throws a readable error if there is none. */
export const readTenant = async (main: Database, name: string): Promise<TenantRow> => {
  const row = await findTenant(main, name)
  if (!row) throw new Error(`There is no tenant ${name} that could be moved or restored.`)
  return row
}

/** The same, or undefined. */
export const findTenant = async (main: Database, name: string): Promise<TenantRow | undefined> => {
  const [directory] = await main.query(findDirectory, {})
  return directory?.exists ? (await main.query(findTenantRow, { name }))[0] : undefined
}

/** Changes the directory: all processes see it within a second, and those waiting for it immediately. */
export const changeDirectory = <T>(main: Database, work: (tx: OpenTransaction) => Promise<T>): Promise<T> =>
  main.transaction(async (tx) => {
    const result = await work(tx)
    await raiseCatalogVersion(
      { ...tx, afterCommit: () => undefined, catalog: { invalidate: () => undefined } },
      'tenants',
    )
    return result
  })

/** Runs `work` as the only process that moves or restores a tenant. */
export const alone = async <T>(main: Database, name: string, work: () => Promise<T>): Promise<T> => {
  const session: Session = await main.openSession()
  try {
    const [turn] = await session.query(takeTurn, { name })
    if (!turn?.isTaken) throw new Error(`Another process is moving or restoring the tenant ${name}.`)
    return await work()
  } finally {
    await session.close()
  }
}
