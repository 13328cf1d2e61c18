import type { Session, Queryable } from '../database/database.ts'
import {
  directoryCommands,
  enterMainNumbers,
  lockNumbers,
  countMerchants,
  findDirectory,
  activateTenantRow,
  deleteNumbers,
  retireTenantRow,
  deleteEntries,
  hasEntries,
  insertEntries,
} from './store.ts'
import type { Tx, Context } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal } from '../domain/refusal.ts'

/** Creates the directory of tenants if there is none, or adds what this release needs; all or nothing. */
export const makeDirectory = async (session: Session): Promise<void> => {
  await session.run('begin')
  try {
    for (const command of directoryCommands) await session.run(command)
    await session.run('commit')
  } catch (error) {
    await session.run('rollback').catch(() => undefined)
    throw error
  }
}

/**
 * Enters the numbers that `main` has when the directory is created; whoever is adding one waits, and enters it then.
 */
export const claimMainNumbers = async (tx: Tx): Promise<void> => {
  await tx.query(lockNumbers, {})
  await tx.query(enterMainNumbers, { tenant: tx.tenant })
}

/** How many merchants each tenant other than `main` has, according to the directory. */
export const countMerchantsOfOthers = async (sql: Queryable): Promise<[string, number][]> => {
  const [directory] = await sql.query(findDirectory, {})
  const rows = directory?.exists ? await sql.query(countMerchants, {}) : []
  return rows.map(({ tenant, merchants }) => [tenant, Number(merchants)])
}

/** Activates a prepared tenant: all processes see it within a second. */
export const activateTenant = async (tx: Tx, name: string): Promise<void> => {
  await tx.query(activateTenantRow, { name })
  await raiseCatalogVersion(tx, 'tenants')
}

/**
 * Retires a tenant; all processes see it within a second. Refuses `invalid_state` if it is not active, or is being
 * moved.
 */
export const retireTenant = async (tx: Tx, name: string, freeNumbers: boolean): Promise<void> => {
  const [retired] = await tx.query(retireTenantRow, { name })
  if (!retired) throw new Refusal('invalid_state', `The tenant ${name} is not active: see payin tenants list.`)
  if (freeNumbers) await tx.query(deleteNumbers, { tenant: name })
  await raiseCatalogVersion(tx, 'tenants')
}

const kind = 'rotation'

/** Records in the directory that the tenant's encryption keys are being rotated. */
export const noteTenantRotating = async (tx: Tx): Promise<void> => {
  await tx.directory.query(insertEntries, { kind, tenant: tx.tenant, rows: [{ key: tx.tenant }] })
}

/** Records that the rotation of the tenant has ended. */
export const noteTenantRotated = async (tx: Tx): Promise<void> => {
  await tx.directory.query(deleteEntries, { kind, keys: [tx.tenant] })
}

/** Whether the encryption keys of a tenant other than `main` are being rotated. */
export const isRotatingTenants = async (sql: Pick<Context, 'query'>): Promise<boolean> => {
  const [directory] = await sql.query(findDirectory, {})
  if (!directory?.exists) return false
  return (await sql.query(hasEntries, { kind }))[0]?.has ?? false
}
