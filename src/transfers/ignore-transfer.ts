import type { Tx } from '../context.ts'
import { type Posting, postIgnored } from '../domain/ledger.ts'
import { Refusal } from '../domain/refusal.ts'
import { lockTransfer, type TransferKey, waitingAmount } from './lock-transfer.ts'
import { openBooks } from './open-books.ts'
import { type Decider, decidedPart, writeParts } from './write-parts.ts'

/** Locks the transfer whose money leaves the ledger with its duplicate, so that it is not withdrawn meanwhile. */
const lockOriginal = async (tx: Tx, requisiteId: string, id: string): Promise<void> => {
  const original = await lockTransfer(tx, { requisiteId, id })
  if (original.parts.every(({ kind }) => kind === 'withdrawn')) {
    throw new Refusal(
      'invalid_state',
      `Transfer ${id} was withdrawn with its statement, so its money is here: ignore this transfer as other money.`,
    )
  }
}

/**
 * Sets aside in the ledger what waits of a transfer, because it belongs to no payment. A possible duplicate is thereby
 * the other transfer's money and leaves the ledger, unless it `isOtherMoney` or a part of it was assigned. Returns the
 * ledger entries. Refuses `resource_not_found` and `invalid_state`.
 */
export const ignoreTransfer = async (
  tx: Tx,
  key: TransferKey,
  decider: Decider,
  isOtherMoney = false,
): Promise<readonly Posting[]> => {
  const transfer = await lockTransfer(tx, key)
  const amount = waitingAmount(transfer)
  const { id: transferId, requisiteId, currency, duplicateOf } = transfer
  const { changes, credits } = openBooks(tx, decider.actor)
  const isDuplicate = duplicateOf !== null && !isOtherMoney && transfer.parts.every(({ kind }) => kind === 'suspense')
  if (isDuplicate) {
    await lockOriginal(tx, requisiteId, duplicateOf)
    credits.release(currency, { transferId, requisiteId, amount })
  } else changes.post([postIgnored(currency, { transferId, amount })])
  await changes.write()
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense')
  const part = decidedPart(isDuplicate ? 'duplicate' : 'ignored', amount, null, 'ignored', decider)
  await writeParts(tx, transfer, [...kept, part], decider)
  return changes.postings()
}
