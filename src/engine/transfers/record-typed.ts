import type { Tx } from '../context.ts'
import type { ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { refuseBeforeOpening } from '../ledger/opening-balances/set-opening-balance.ts'
import type { LoneReport } from '../../rules/money/settlement.ts'
import { onFirstRequisite } from './on-first-requisite.ts'
import { type RecordedTransfer, recordTransfers } from './record-transfers.ts'

/** As `recordTransfers`, for what an operator types; also refuses `validation_failed` before opening balances. */
export const recordTyped = async (
  tx: Tx,
  typed: readonly ReportedTransfer[],
  lone: LoneReport | null,
): Promise<RecordedTransfer[]> => {
  const reported = await onFirstRequisite(tx, typed)
  await refuseBeforeOpening(
    tx,
    reported.map((report, index) => ({ ...report, field: `transfers.${index}.bookedAt` })),
  )
  return recordTransfers(tx, reported, undefined, lone)
}
