import type { Tx } from '../context.ts'
import { type EntryKind, mainTenant } from '../domain/tenant.ts'
import { findDirectory, insertEntries } from './store.ts'

/** Keys by which requests find their tenant. What has no entry belongs to `main`, whose keys therefore need none. */
export const enterKeys = async (tx: Tx, kind: Exclude<EntryKind, 'number'>, keys: readonly string[]): Promise<void> => {
  if (tx.tenant === mainTenant || keys.length === 0) return
  await tx.directory.query(insertEntries, { kind, tenant: tx.tenant, rows: keys.map((key) => ({ key })) })
}

/**
 * Claims numbers of accounts, by their keyed hashes, for the transaction's tenant; returns those that belong to another one. An
 * installation that has no directory has one tenant.
 */
export const claimNumbers = async (tx: Tx, numberIndexes: readonly string[]): Promise<string[]> => {
  if (numberIndexes.length === 0) return []
  const [directory] = await tx.directory.query(findDirectory, {})
  if (!directory?.exists) return []
  const rows = numberIndexes.map((key) => ({ key }))
  const entries = await tx.directory.query(insertEntries, { kind: 'number', tenant: tx.tenant, rows })
  return entries.filter(({ tenant }) => tenant !== tx.tenant).map(({ key }) => key)
}
