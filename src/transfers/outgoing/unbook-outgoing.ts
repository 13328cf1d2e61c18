import type { Tx } from '../../context.ts'
import { account } from '../../domain/ledger.ts'
import { postUnbooked, purposeAccount } from '../../domain/outgoing.ts'
import { Refusal } from '../../domain/refusal.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import type { TransferKey } from '../lock-transfer.ts'
import { reverseRefund } from '../overpayments/reverse-refund.ts'
import { lockForDecision } from './lock-unexplained.ts'
import { findCarriedOut, markUnbooked, type StoredOutgoing } from './store.ts'

/** The account that a booked outgoing transfer was booked to, by reversing what was recorded with it. */
const release = async (tx: Tx, { purpose, currency, ...outgoing }: StoredOutgoing): Promise<string> => {
  if (purpose === 'refund-reversal')
    throw new Refusal('invalid_state', 'Its payer is owed the refund again: decide on the overpayment instead.')
  if (purpose !== 'refund' && purpose !== 'reversal') return purposeAccount[purpose ?? 'other'](currency)
  const { requisiteId, id } = outgoing
  const [carried] = await tx.query(findCarriedOut, { requisiteId, id })
  if (!carried?.requisiteId) throw new Error(`outgoing transfer ${id} has no document`)
  if (carried.isGivenBack) throw new Refusal('invalid_state', 'The bank gave this refund back; it stays as it was.')
  if (carried.isMade) {
    if (purpose === 'reversal')
      throw new Refusal('invalid_state', 'The transfer was taken back with it, and its payment has lost the money.')
    await reverseRefund(tx, outgoing.merchantId ?? '', outgoing.documentId ?? '')
  }
  return account.bank(carried.requisiteId)
}

/**
 * Makes a booked outgoing transfer unexplained again, by reversing entries. A refund that was recorded by booking it is
 * owed again; one that was recorded before leaves its account by its own posting again. Refuses `resource_not_found`, and
 * `invalid_state` for what is not booked, took a transfer back, or is a refund that the bank gave back.
 */
export const unbookOutgoing = async (tx: Tx, key: TransferKey): Promise<StoredOutgoing> => {
  const outgoing = await lockForDecision(tx, key)
  if (outgoing.state !== 'booked') throw new Refusal('invalid_state', `The outgoing transfer is ${outgoing.state}.`)
  const from = await release(tx, outgoing)
  await tx.query(markUnbooked, { state: 'unexplained', rows: [{ requisiteId: outgoing.requisiteId, id: outgoing.id }] })
  await postEntries(tx, [[postUnbooked(outgoing, from)]])
  const nothing = {
    merchantId: null,
    paymentId: null,
    documentId: null,
    reason: null,
    decidedBy: null,
    decidedAt: null,
  }
  return { ...outgoing, ...nothing, state: 'unexplained', purpose: null }
}
