import type { Tx } from '../context.ts'
import { enterMainNumbers, lockNumbers } from './store.ts'

/** Enters the numbers that `main` has when the directory is made; whoever adds one meanwhile waits, and enters it then. */
export const claimMainNumbers = async (tx: Tx): Promise<void> => {
  await tx.query(lockNumbers, {})
  await tx.query(enterMainNumbers, { tenant: tx.tenant })
}
