import type { Tx } from '../context.ts'
import { type EntryKind, mainTenant } from '../domain/tenant.ts'
import type { RenewedIndex } from '../secrets/sealed-table.ts'
import {
  copyEntries,
  deleteEntries,
  findDirectory,
  holdNumbers,
  insertEntries,
  listEntriesOf,
  deleteOtherNumbers,
} from './store.ts'
import type { Queryable } from '../database/database.ts'

/**
 * Enters keys by which requests find their tenant. Keys without an entry belong to `main`, whose keys therefore need
 * none.
 */
export const enterKeys = async (tx: Tx, kind: Exclude<EntryKind, 'number'>, keys: readonly string[]): Promise<void> => {
  if (tx.tenant === mainTenant || keys.length === 0) return
  await tx.directory.query(insertEntries, { kind, tenant: tx.tenant, rows: keys.map((key) => ({ key })) })
}

/** The number of an account: its keyed hash, and those by older keys under which it may have been entered. */
type ClaimedNumber = { readonly numberIndex: string; readonly olderIndexes: readonly string[] }

/**
 * Claims account numbers, by their keyed hashes, for the transaction's tenant; returns those that belong to another
 * one. An installation without a directory has only one tenant. If there are older keys, the caller must keep others
 * from adding numbers.
 */
export const claimNumbers = async (tx: Tx, numbers: readonly ClaimedNumber[]): Promise<string[]> => {
  if (numbers.length === 0) return []
  // Before reading the directory: whoever frees claims, or creates the directory, does so before this, or sees the
  // accounts.
  await tx.query(holdNumbers, {})
  const [directory] = await tx.directory.query(findDirectory, {})
  if (!directory?.exists) return []
  const rows = numbers.map(({ numberIndex }) => ({ key: numberIndex }))
  const entries = await tx.directory.query(insertEntries, { kind: 'number', tenant: tx.tenant, rows })
  const foreign = entries.filter(({ tenant }) => tenant !== tx.tenant).map(({ key }) => key)
  const keys = numbers.flatMap(({ olderIndexes }) => olderIndexes)
  if (keys.length === 0) return foreign
  const older = await tx.directory.query(listEntriesOf, { kind: 'number', keys })
  const taken = new Set(older.filter(({ tenant }) => tenant !== tx.tenant).map(({ key }) => key))
  const others = numbers.filter(({ olderIndexes }) => olderIndexes.some((key) => taken.has(key)))
  return [...foreign, ...others.map(({ numberIndex }) => numberIndex)]
}

/** Enters numbers under the hashes of another key, replacing the former ones. */
export const renewNumbers = async (
  tx: Tx,
  changed: readonly Pick<RenewedIndex, 'before' | 'after'>[],
): Promise<void> => {
  const [directory] = changed.length === 0 ? [] : await tx.directory.query(findDirectory, {})
  if (!directory?.exists) return
  await tx.directory.query(copyEntries, { kind: 'number', rows: changed })
  await tx.directory.query(deleteEntries, { kind: 'number', keys: changed.map(({ before }) => before) })
}

const maxRows = 5000

/**
 * Enters the keys of a tenant whose schema was restored, and releases its claims on numbers that it no longer has.
 * Throws if a key belongs to another tenant.
 */
export const renewKeys = async (
  directory: Queryable,
  tenant: string,
  keys: readonly { readonly kind: EntryKind; readonly key: string }[],
): Promise<void> => {
  for (const [kind, ofKind] of Map.groupBy(keys, (each) => each.kind)) {
    for (let from = 0; from < ofKind.length; from += maxRows) {
      const rows = ofKind.slice(from, from + maxRows).map(({ key }) => ({ key }))
      const entries = await directory.query(insertEntries, { kind, tenant, rows })
      const foreign = entries.filter((entry) => entry.tenant !== tenant)
      if (foreign.length > 0) {
        const others = [...new Set(foreign.map((entry) => entry.tenant))].join(', ')
        throw new Error(`${foreign.length} of the ${kind}s in the backup belong to another tenant by now: ${others}.`)
      }
    }
  }
  const numbers = keys.filter(({ kind }) => kind === 'number').map(({ key }) => key)
  await directory.query(deleteOtherNumbers, { tenant, numbers })
}
