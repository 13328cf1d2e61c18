import type { Tx } from '../context.ts'
import { lockSharing, lockBindings, lockBindingsToChange } from './store.ts'

/** Keeps the accounts of statements bound as they are until the transaction ends; another one that wants this waits. */
export const holdBindings = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindings, {})
}

/** As `holdBindings`; waits for all who are recording money, see `holdSharing`, and lets none begin. */
export const holdBindingsToChange = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindingsToChange, {})
}

/** As `listSharing`, and keeps the bindings as they are until the transaction ends; others who want this do not wait. */
export const holdSharing = async (
  tx: Tx,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await tx.query(lockSharing, { requisiteIds: [...new Set(requisiteIds)] })
  return new Map(rows.map((row) => [row.requisiteId, row.others]))
}
