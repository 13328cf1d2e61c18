import type { Context, Tx } from '../context.ts'
import { deleteEntries, findDirectory, hasEntries, insertEntries } from './store.ts'

const kind = 'rotation'

/** Notes in the directory that the encryption keys of the tenant are being rotated. */
export const noteRotating = async (tx: Tx): Promise<void> => {
  await tx.directory.query(insertEntries, { kind, tenant: tx.tenant, rows: [{ key: tx.tenant }] })
}

/** Notes that the rotation of the tenant has ended. */
export const noteRotated = async (tx: Tx): Promise<void> => {
  await tx.directory.query(deleteEntries, { kind, keys: [tx.tenant] })
}

/** Whether the encryption keys of another tenant than `main` are being rotated. */
export const isRotatingTenants = async (sql: Pick<Context, 'query'>): Promise<boolean> => {
  const [directory] = await sql.query(findDirectory, {})
  if (!directory?.exists) return false
  return (await sql.query(hasEntries, { kind }))[0]?.has ?? false
}
