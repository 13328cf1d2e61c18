import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { findTransfer } from './read.ts'
import { lockTransferRow } from './store.ts'

/** Names a transfer. */
export type TransferKey = { readonly requisiteId: string; readonly id: string }

/** A transfer that its transaction has locked. */
export type LockedTransfer = NonNullable<Awaited<ReturnType<typeof findTransfer>>>

/**
 * Locks a transfer against other decisions; lock its payments first. Refuses `resource_not_found`, and `invalid_state`
 * while the statement that brought it is being withdrawn.
 */
export const lockTransfer = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<LockedTransfer> => {
  await tx.query(lockTransferRow, { requisiteId, id })
  const transfer = await findTransfer(tx, requisiteId, id)
  if (!transfer) throw new Refusal('resource_not_found', 'There is no such transfer.')
  if (transfer.beingWithdrawn)
    throw new Refusal('invalid_state', 'The statement that brought this transfer is being withdrawn.')
  return transfer
}

/** How much of a transfer waits in the inbox, in minor units. Refuses `invalid_state` when nothing does. */
export const waitingAmount = ({ parts }: LockedTransfer): bigint => {
  const waiting = parts.reduce((sum, part) => (part.kind === 'suspense' ? sum + part.amount : sum), 0n)
  if (waiting === 0n) throw new Refusal('invalid_state', 'The transfer does not wait in the inbox; unassign it first.')
  return waiting
}
