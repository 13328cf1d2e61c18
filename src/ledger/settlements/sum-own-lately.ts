import type { Tx } from '../../context.ts'
import { type Settlement, type SettlementStatus, secondPersonWindowMs } from '../../domain/settlement.ts'
import { selectOwnSum } from './store.ts'

/**
 * The sum of the other settlements of the merchant that the same author drafted and that no other operator had to approve,
 * as far as the author took one of the steps within the window; in millionths of the quote currency, without failed ones.
 */
export const sumOwnLately = async (
  tx: Tx,
  { merchantId, id, draftedBy }: Pick<Settlement, 'merchantId' | 'id' | 'draftedBy'>,
  steps: readonly SettlementStatus[],
): Promise<bigint> => {
  const since = tx.now - secondPersonWindowMs
  const [row] = await tx.query(selectOwnSum, { merchantId, id, draftedBy, statuses: [...steps], since })
  return row?.amount ?? 0n
}
