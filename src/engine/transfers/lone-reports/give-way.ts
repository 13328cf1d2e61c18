import type { Tx } from '../../context.ts'
import { ignoreTransfer } from '../decisions/decide-transfer.ts'
import { setDuplicates } from '../duplicates/store.ts'
import type { TransferKey } from '../transfer-parts.ts'
import { moveDoubts } from './store.ts'

/** A transfer that one operator alone has reported, and the bank's own report that is, or may be, the same money. */
export type GivingWay = TransferKey & { readonly duplicateOf: string; readonly isCertain: boolean }

/**
 * Lets the bank's own reports take the place of what one operator alone has reported and nobody has decided about: what
 * the bank says of the money counts, and not what somebody has typed in. What is certainly the same money leaves the
 * books; what may be the same waits as a possible duplicate. `lockGivingWay` must have locked them.
 */
export const giveWay = async (tx: Tx, transfers: readonly GivingWay[]): Promise<void> => {
  if (transfers.length === 0) return
  await tx.query(moveDoubts, { rows: transfers })
  await tx.query(setDuplicates, { rows: transfers })
  for (const { isCertain, duplicateOf, ...key } of transfers)
    if (isCertain) await ignoreTransfer(tx, key, { actor: 'service', note: `The bank reports it as ${duplicateOf}.` })
}
