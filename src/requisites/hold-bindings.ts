import type { Tx } from '../context.ts'
import { lockBindings, lockBindingsToChange } from './store.ts'

/** Keeps the accounts of statements bound as they are until the transaction ends; another one that wants this waits. */
export const holdBindings = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindings, {})
}

/** As `holdBindings`; waits for all who are recording money, see `holdSharing`, and lets none begin. */
export const holdBindingsToChange = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindingsToChange, {})
}
