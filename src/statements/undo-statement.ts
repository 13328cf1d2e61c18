import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import { forgetStatementBalances } from '../ledger/record-statement-balances.ts'
import { returnTransfers } from '../transfers/return-transfers.ts'
import { lockStatement } from './lock-statement.ts'
import { changeStatement, findRepeating, listBrought, releaseContent } from './store.ts'

const setSize = 1000

/**
 * Undoes an import of which nothing was decided: every transfer that it brought still waits in the inbox. The ledger is
 * corrected by reversing entries; afterwards the file may come again. Refuses `resource_not_found`, `invalid_state`, also
 * where another statement repeats it: its rows would lose their transfers.
 */
export const undoStatement = async (tx: Tx, id: string, by: string, reason: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['imported'])
  const [other] = await tx.query(findRepeating, { statementId: id })
  if (other) {
    throw new Refusal(
      'invalid_state',
      `Statement ${other.id} tells of the same transfers, or is still being imported: undo it first, or wait for it.`,
    )
  }
  let after = 0
  for (;;) {
    const rows = await tx.query(listBrought, { statementId: id, after, limit: setSize })
    const last = rows.at(-1)
    if (!last) break
    after = last.position
    if (rows.some((row) => row.kind === 'reversal'))
      throw new Refusal(
        'invalid_state',
        'The statement took money back; what the bank has taken back cannot be undone.',
      )
    const returned = await returnTransfers(
      tx,
      rows.flatMap(({ requisiteId, transferId }) => (transferId === null ? [] : [{ requisiteId, id: transferId }])),
    )
    if (returned < rows.length) {
      throw new Refusal(
        'invalid_state',
        `Something was decided on ${rows.length - returned} or more transfers of the statement; it can no longer be undone.`,
      )
    }
  }
  await forgetStatementBalances(tx, id)
  const undone: Statement = { ...before, state: 'undone', undoneBy: by, undoneAt: tx.now, undoReason: reason }
  await tx.query(changeStatement, undone)
  await tx.query(releaseContent, { statementId: id, contentHash: before.contentHash ?? '' })
  return undone
}
