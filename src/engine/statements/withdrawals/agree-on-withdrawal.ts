import type { Tx } from '../../context.ts'
import { lockAdding } from 'payin-database'
import { secondPersonWindowMs } from '../../../rules/money/settlement.ts'
import type { Statement } from '../../../rules/statements/statement-import.ts'
import { findBeyond } from '../../transfers/lone-reports/hold-lone-reports.ts'
import type { Explainer } from '../../transfers/outgoing/agree-on-purpose.ts'
import { sumOutgoingRows, sumWithdrawnAlone } from './store.ts'

/**
 * Who withdraws a locked statement: an operator alone, as long as the money that left by it is no more than one person may
 * explain; or two. Null if it first needs another operator. Refuses `second_person_required` if the two may be one person.
 */
export const agreeOnWithdrawal = async (
  tx: Tx,
  { id: statementId, withdrawnBy: author }: Statement,
  { actor, findBound, refuseOnePerson }: Explainer,
): Promise<string | null> => {
  const above = await findBound(tx)
  if (above === null) return actor
  await lockAdding(tx, `withdrawals by ${actor}`)
  const before = await tx.query(sumWithdrawnAlone, { by: actor, since: tx.now - secondPersonWindowMs })
  const sent = await tx.query(sumOutgoingRows, { statementId })
  if ((await findBeyond(tx, above, before, sent)).length === 0) return actor
  if (author === null || author === actor) return null
  await refuseOnePerson(tx, author)
  return `${author}, ${actor}`
}
