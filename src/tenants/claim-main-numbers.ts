import type { Tx } from '../context.ts'
import { enterMainNumbers, lockRequisites } from './store.ts'

/** Enters the numbers that `main` has when the directory is made; whoever adds one meanwhile waits, and enters it then. */
export const claimMainNumbers = async (tx: Tx): Promise<void> => {
  await tx.query(lockRequisites, {})
  await tx.query(enterMainNumbers, { tenant: tx.tenant })
}
