import type { Tx } from '../../context.ts'
import { markPauseEnded } from './store.ts'

/** Ends the automatic pause of a requisite that is resumed or retired, if it has one; its runs start again. */
export const endPause = async (tx: Tx, requisiteId: string): Promise<void> => {
  await tx.query(markPauseEnded, { requisiteId, now: tx.now })
}
