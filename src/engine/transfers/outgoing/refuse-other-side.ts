import type { Tx } from '../../context.ts'
import { invalidState } from '../../../rules/refusal.ts'
import { findSentAs } from './store.ts'

/** Refuses `invalid_state` if a locked transfer is booked as the other side of outgoing money between own accounts. */
export const refuseOtherSide = async (tx: Tx, { id: transferId }: { readonly id: string }): Promise<void> => {
  const [sent] = await tx.query(findSentAs, { transferId })
  if (!sent) return
  throw invalidState(
    `It is the other side of outgoing transfer ${sent.id}, between own accounts: unbook that one first.`,
  )
}
