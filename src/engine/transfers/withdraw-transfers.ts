import type { Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { Refusal, invalidState } from '../../rules/refusal.ts'
import { account, postReceipt, postReturn } from '../../rules/money/ledger.ts'
import { postUnbooked, postUnsent, purposeAccount } from '../../rules/transfers/outgoing.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { findDuplicateOf, selectFurtherReport } from './duplicates/store.ts'
import { noteProof } from './duplicates/note-proof.ts'
import { returnGaveWay } from './lone-reports/give-way.ts'
import { findDuplicateOfOutgoing } from './outgoing/duplicates/store.ts'
import { deleteOutgoingKeys, listOutgoingUndecided, lockOutgoing, markDecided, undecided } from './outgoing/store.ts'
import { unproveRefunds } from './refunds/follow-money.ts'
import type { TransferKey } from './transfer-parts.ts'
import { listUndecided, lockTransfers, withdrawParts } from './store.ts'

type Brought = { readonly transfers: readonly TransferKey[]; readonly outgoing: readonly TransferKey[] }

/** Why transfers of a statement, or of a message, cannot be withdrawn with it; `undefined` if they can. */
export const findObstacle = async (sql: Queryable, { transfers, outgoing }: Brought): Promise<string | undefined> => {
  const waiting = await sql.query(listUndecided, { rows: transfers })
  const sent = await sql.query(listOutgoingUndecided, { rows: outgoing })
  const decided = transfers.length + outgoing.length - waiting.length - sent.length
  if (decided > 0)
    return `Transfers of the statement were credited or decided about (at least ${decided}): return them to the inbox first (payin transfers unassign, payin outgoing unbook), or keep the statement and correct them one by one.`
  // Without the original, the money of a duplicate would be lost.
  const next = 'first decide that it is other money, or withdraw the statement that reported it.'
  const [duplicate] = await sql.query(findDuplicateOf, { rows: transfers })
  if (duplicate)
    return `Transfer ${duplicate.id} is, or may be, the same money as transfer ${duplicate.duplicateOf}: ${next}`
  const [sameMoney] = await sql.query(findDuplicateOfOutgoing, { rows: outgoing })
  if (sameMoney)
    return `Outgoing transfer ${sameMoney.id} is, or may be, the same money as ${sameMoney.duplicateOf}: ${next}`
  const [report] = await sql.query(selectFurtherReport, { rows: transfers })
  return (
    report &&
    `Transfer ${report.id} was also reported by ${report.channel}, which will not report it again, so its money would be lost: decide about it in the inbox.`
  )
}

/** Excludes decisions about transfers and outgoing money; `false` without waiting if one is under way. */
export const tryToHold = async (tx: Tx, transfers: readonly TransferKey[]): Promise<boolean> => {
  if ((await tx.query(lockTransfers, { rows: transfers })).length < transfers.length) return false
  await tx.query(lockOutgoing, {})
  return true
}

/**
 * Takes undecided transfers out of the inbox as if they had never been reported: they may be reported again, and what
 * gave way to them returns to the inbox. They must be locked or otherwise unreachable.
 */
const withdrawIncoming = async (tx: Tx, transfers: readonly TransferKey[]): Promise<void> => {
  const rows = await tx.query(listUndecided, { rows: transfers })
  if (rows.length < transfers.length) throw new Error('a transfer to be withdrawn was decided on')
  await returnGaveWay(tx, transfers)
  await tx.query(withdrawParts, { rows: transfers, now: tx.now })
  await noteProof(
    tx,
    rows.filter(({ isDuplicate }) => isDuplicate),
  )
  await postEntries(
    tx,
    rows.map(({ id: transferId, requisiteId, currency, amount, isDuplicate }) => {
      const money = { transferId, requisiteId, amount }
      const returned = postReturn(null, currency, money)
      // A duplicate never entered the ledger: posting both keeps the rule that every withdrawn transfer came and went.
      return isDuplicate ? [postReceipt(null, currency, money), returned] : [returned]
    }),
  )
}

/** The same for outgoing money; what was announced before leaves the bank account by its own posting again. */
const withdrawOutgoing = async (tx: Tx, outgoing: readonly TransferKey[]): Promise<void> => {
  if (outgoing.length === 0) return
  await tx.query(lockOutgoing, {})
  const rows = await tx.query(listOutgoingUndecided, { rows: outgoing })
  if (rows.length < outgoing.length) throw new Error('an outgoing transfer to be withdrawn was decided on')
  await unproveRefunds(tx, outgoing, 'service')
  const withdrawn = { ...undecided, state: 'withdrawn' } as const
  await tx.query(markDecided, { rows: outgoing.map((each) => ({ ...each, ...withdrawn })) })
  await tx.query(deleteOutgoingKeys, { rows: outgoing })
  await postEntries(
    tx,
    rows
      .filter((each) => !each.isDuplicate)
      .map((each) => [
        ...(each.bookedOn === null ? [] : [postUnbooked(each, account.bank(each.bookedOn))]),
        ...(each.purpose === null ? [] : [postUnbooked(each, purposeAccount[each.purpose](each.currency))]),
        postUnsent(each),
      ]),
  )
}

/** Withdraws transfers about which no person has decided, as if nobody had reported them. */
export const withdrawTransfers = async (tx: Tx, { transfers, outgoing }: Brought): Promise<void> => {
  await withdrawIncoming(tx, transfers)
  await withdrawOutgoing(tx, outgoing)
}

/**
 * Withdraws what a forged message has brought to the inbox; `false` if somebody has decided about it: then it stays. Refuses
 * `invalid_state` if somebody else reports the money, too, and `overloaded` while somebody decides about it.
 */
export const withdrawForged = async (tx: Tx, transfer: TransferKey): Promise<boolean> => {
  const brought = { transfers: [transfer], outgoing: [] }
  if (!(await tryToHold(tx, brought.transfers)))
    throw new Refusal('overloaded', 'Somebody is deciding about its money. Try again.', { retryAfterSeconds: 1 })
  if ((await tx.query(listUndecided, { rows: brought.transfers })).length === 0) return false
  const obstacle = await findObstacle(tx, brought)
  if (obstacle !== undefined) throw invalidState(obstacle)
  await withdrawTransfers(tx, brought)
  return true
}
