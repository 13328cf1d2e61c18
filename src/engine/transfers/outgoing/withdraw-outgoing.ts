import type { Tx } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { account } from '../../../rules/money/ledger.ts'
import { postUnbooked, postUnsent, purposeAccount } from '../../../rules/transfers/outgoing.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import type { TransferKey } from '../transfer-parts.ts'
import { findDuplicateOfOutgoing } from './duplicates/store.ts'
import { deleteOutgoingKeys, listOutgoingUndecided, lockOutgoing, markUnbooked } from './store.ts'

/** How many of the outgoing transfers no operator has decided on. */
export const countOutgoingUndecided = async (sql: Queryable, outgoing: readonly TransferKey[]): Promise<number> =>
  outgoing.length === 0 ? 0 : (await sql.query(listOutgoingUndecided, { rows: outgoing })).length

/** An outgoing transfer that is, or may be, the money of one of these. */
export const findOutgoingDuplicate = async (sql: Queryable, outgoing: readonly TransferKey[]) =>
  outgoing.length === 0 ? undefined : (await sql.query(findDuplicateOfOutgoing, { rows: outgoing }))[0]

/** Keeps everyone from deciding on outgoing transfers until the transaction ends. */
export const holdOutgoing = async (tx: Tx): Promise<void> => {
  await tx.query(lockOutgoing, {})
}

/**
 * Withdraws outgoing transfers that no operator has decided on, as if they had never been reported: money announced
 * before the bank's report leaves the ledger's bank account by its own posting again.
 */
export const withdrawOutgoing = async (tx: Tx, outgoing: readonly TransferKey[]): Promise<void> => {
  if (outgoing.length === 0) return
  await holdOutgoing(tx)
  const rows = await tx.query(listOutgoingUndecided, { rows: outgoing })
  if (rows.length < outgoing.length) throw new Error('an outgoing transfer to be withdrawn was decided on')
  await tx.query(markUnbooked, { state: 'withdrawn', rows: outgoing })
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
