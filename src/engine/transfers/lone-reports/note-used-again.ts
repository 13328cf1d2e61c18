import type { Tx } from '../../context.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { LoneReport } from '../../../rules/money/settlement.ts'
import { type Assigner, isReportedAlone, isUnconfirmed, type LockedTransfer } from '../transfer-parts.ts'
import { noteLoneWord, printBound } from './hold-lone-reports.ts'

type Using = Pick<Assigner, 'loneReport'>

/**
 * Notes that an operator alone uses ignored money again, which may have been sent back meanwhile. Returns the bound if
 * it goes beyond that. What one person alone has reported, and waits for another, goes on waiting for the same.
 */
export const noteUsedAgain = async (
  tx: Tx,
  transfer: LockedTransfer,
  { loneReport }: Using,
): Promise<LoneReport | null> => {
  if (isUnconfirmed(transfer) && isReportedAlone(transfer)) return null
  const lone = await loneReport(tx)
  // What the same one reported is summed already.
  if (isReportedAlone(transfer) && transfer.reportedBy === lone?.by) return null
  return lone !== null && (await noteLoneWord(tx, lone, transfer)) ? lone : null
}

/** The same; refuses `second_person_required` beyond the bound. */
export const refuseUsedAgain = async (tx: Tx, transfer: LockedTransfer, using: Using): Promise<void> => {
  const lone = await noteUsedAgain(tx, transfer, using)
  if (lone === null) return
  throw new Refusal(
    'second_person_required',
    `This money was ignored, and one person may use ${printBound(lone)} of such money again within 24 hours: return it to the inbox, and let another operator do this.`,
  )
}
