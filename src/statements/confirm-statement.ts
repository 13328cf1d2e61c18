import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import { holdBindings } from '../requisites/hold-bindings.ts'
import { listBoundByIndex, listSharing } from '../requisites/read.ts'
import { findToldOtherwise } from './entries/store.ts'
import { lockStatement } from './lock-statement.ts'
import { changeStatement } from './store.ts'

/** Refuses rows that were read for other bindings than there are. */
const checkBindings = async (tx: Tx, { accounts }: Statement): Promise<void> => {
  await holdBindings(tx)
  for (const { number, numberIndexes = [], requisiteId } of accounts) {
    const bound = (await listBoundByIndex(tx, numberIndexes))[0] ?? requisiteId
    const first = (await listSharing(tx, [bound])).get(bound)?.[0] ?? bound
    if (first === requisiteId) continue
    throw new Refusal(
      'invalid_state',
      `The account ${number} was bound to other requisites since the file was read: discard it, and upload it again.`,
    )
  }
}

/**
 * Takes a statement that was looked at as a whole: from now on it is imported, set by set, whatever stops the process.
 * Confirming again changes nothing. Refuses `resource_not_found`, and `invalid_state`, also where an account was bound to
 * others, or one of its bookings was told in another form, since the file was read.
 */
export const confirmStatement = async (tx: Tx, id: string, by: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['ready', 'importing', 'imported'])
  if (before.state !== 'ready') return before
  await checkBindings(tx, before)
  const [otherwise] = await tx.query(findToldOtherwise, { statementId: id })
  if (otherwise) {
    const instead = otherwise.undoing ? 'confirm again when it is undone' : 'discard it, and upload it again'
    throw new Refusal(
      'invalid_state',
      `Since the file was read, statement ${otherwise.statementId} has told of the booking ${otherwise.entryReference} in another way: ${instead}.`,
    )
  }
  const after: Statement = { ...before, state: 'importing', confirmedBy: by, confirmedAt: tx.now }
  await tx.query(changeStatement, after)
  tx.afterCommit(() => tx.changes.publish(['statements']))
  return after
}
