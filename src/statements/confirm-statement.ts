import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import { listOpenings } from '../ledger/opening-balances/read.ts'
import { holdBindings } from '../requisites/bindings/binding.ts'
import { findOtherForm } from './bookings/store.ts'
import { lockStatement } from './lock-statement.ts'
import { changeStatement, findRowBefore } from './store.ts'
import { listBoundByIndex, listSharing } from '../requisites/read.ts'

/** Refuses a statement whose accounts were bound to other requisites when it was read. */
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

/** Refuses a statement with rows from before an opening balance that was set since the file was read. */
const checkOpenings = async (tx: Tx, { id: statementId, accounts }: Statement): Promise<void> => {
  const openings = await listOpenings(
    tx,
    accounts.map((each) => each.requisiteId),
  )
  for (const [requisiteId, { day, beginsAt }] of openings) {
    if ((await tx.query(findRowBefore, { statementId, requisiteId, before: beginsAt })).length === 0) continue
    throw new Refusal(
      'invalid_state',
      `It has rows from before the opening balance of ${day}, which was set since the file was read: discard it, and upload it again.`,
    )
  }
}

/** Refuses a statement with a booking that another one has reported in another form since the file was read. */
const checkBookings = async (tx: Tx, statementId: string): Promise<void> => {
  const [other] = await tx.query(findOtherForm, { statementId })
  if (!other) return
  const remedy = other.isWithdrawing ? 'confirm again when it is withdrawn' : 'discard it, and upload it again'
  throw new Refusal(
    'invalid_state',
    `Since the file was read, statement ${other.statementId} has reported the booking ${other.bookingReference} in another form: ${remedy}.`,
  )
}

/**
 * Confirms a statement after its preview: from now on it is imported as a whole, set by set, whatever stops the process.
 * Confirming again changes nothing. Refuses `resource_not_found`, and `invalid_state`, also where an account was bound to
 * other requisites, one of its bookings was reported in another form, or an opening balance was set, since the file was read.
 */
export const confirmStatement = async (tx: Tx, id: string, by: string): Promise<Statement> => {
  const before = await lockStatement(tx, id, ['ready', 'importing', 'imported'])
  if (before.state !== 'ready') return before
  await checkBindings(tx, before)
  await checkBookings(tx, id)
  await checkOpenings(tx, before)
  const after: Statement = { ...before, state: 'importing', confirmedBy: by, confirmedAt: tx.now }
  await tx.query(changeStatement, after)
  tx.afterCommit(() => {
    tx.changes.publish(['statements'])
    tx.changes.announce('statements')
  })
  return after
}
