import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { TransferKey } from '../lock-transfer.ts'
import { findOutgoingBeingWithdrawn, findOutgoingRow, lockOutgoing, type StoredOutgoing } from './store.ts'

/**
 * An outgoing transfer about which nobody else decides until the transaction ends; lock payments and transfers first.
 * Refuses `resource_not_found`, and `invalid_state` while the statement that brought it is being withdrawn.
 */
export const lockForDecision = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<StoredOutgoing> => {
  await tx.query(lockOutgoing, {})
  const [outgoing] = await tx.query(findOutgoingRow, { requisiteId, id })
  if (!outgoing) throw new Refusal('resource_not_found', 'There is no such outgoing transfer.')
  if ((await tx.query(findOutgoingBeingWithdrawn, { requisiteId, id })).length > 0)
    throw new Refusal('invalid_state', 'The statement that brought this outgoing transfer is being withdrawn.')
  return outgoing
}

/** As `lockForDecision`, one that nobody has explained; refuses `invalid_state` otherwise. */
export const lockUnexplained = async (tx: Tx, key: TransferKey): Promise<StoredOutgoing> => {
  const outgoing = await lockForDecision(tx, key)
  if (outgoing.state === 'unexplained') return outgoing
  const what = outgoing.state === 'booked' ? `booked as ${outgoing.purpose}` : outgoing.state
  throw new Refusal('invalid_state', `The outgoing transfer is ${what} already.`)
}

/** The refusal of a decision that another one has overtaken between what was read and what is locked. */
export const decidedMeanwhile = (): Refusal =>
  new Refusal('invalid_state', 'Something was decided about this money at the same time: look at it again.')
