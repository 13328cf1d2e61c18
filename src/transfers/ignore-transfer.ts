import type { Tx } from '../context.ts'
import { postIgnored } from '../domain/ledger.ts'
import { Refusal } from '../domain/refusal.ts'
import { openBooks } from './assign-transfer.ts'
import {
  decidedPart,
  type Decider,
  lockTransferOf,
  type TransferKey,
  waitingAmount,
  writeParts,
} from './place-transfer.ts'

/** Whose money leaves the ledger as another transfer's, that one must stay there: not undone with its statement. */
const lockOriginal = async (tx: Tx, requisiteId: string, id: string | null): Promise<void> => {
  const original = await lockTransferOf(tx, { requisiteId, id: id ?? '' })
  if (original.reversedAt === null && original.parts.every(({ kind }) => kind === 'returned')) {
    throw new Refusal(
      'invalid_state',
      `Transfer ${id} was undone with its statement: this is its money, say other money.`,
    )
  }
}

/**
 * Says that what waits of a transfer belongs to no payment; the money is set aside in the ledger. What may be a transfer
 * of another channel is thereby that one's money, and leaves the ledger, unless it `isOther` money or a part of it was
 * given away. Refuses `resource_not_found` and `invalid_state`.
 */
export const ignoreTransfer = async (tx: Tx, key: TransferKey, decider: Decider, isOther = false): Promise<void> => {
  const transfer = await lockTransferOf(tx, key)
  const amount = waitingAmount(transfer)
  const { id: transferId, requisiteId, currency } = transfer
  const isRepeat = transfer.repeatOf !== null && !isOther && transfer.parts.every(({ kind }) => kind === 'suspense')
  if (isRepeat) await lockOriginal(tx, requisiteId, transfer.repeatOf)
  const { changes, credits } = openBooks(tx, decider.actor)
  if (isRepeat) credits.release(currency, { transferId, requisiteId, amount })
  else changes.post([postIgnored(currency, { transferId, amount })])
  await changes.write()
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense')
  const part = decidedPart(isRepeat ? 'repeated' : 'ignored', amount, null, 'ignored', decider)
  await writeParts(tx, transfer, [...kept, part], decider)
}
