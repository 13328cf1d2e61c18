import type { Tx } from '../context.ts'
import { postIgnored } from '../domain/ledger.ts'
import { openBooks } from './assign-transfer.ts'
import {
  decidedPart,
  type Decider,
  lockTransferOf,
  type TransferKey,
  waitingAmount,
  writeParts,
} from './place-transfer.ts'

/**
 * Says that what waits of a transfer belongs to no payment; the money is set aside in the ledger. Refuses
 * `resource_not_found` and `invalid_state`.
 */
export const ignoreTransfer = async (tx: Tx, key: TransferKey, decider: Decider): Promise<void> => {
  const transfer = await lockTransferOf(tx, key)
  const amount = waitingAmount(transfer)
  const { changes } = openBooks(tx, decider.actor)
  changes.post([postIgnored(transfer.currency, { transferId: transfer.id, amount })])
  await changes.write()
  const kept = transfer.parts.filter((part) => part.kind !== 'suspense')
  await writeParts(tx, transfer, [...kept, decidedPart('ignored', amount, null, 'ignored', decider)], decider)
}
