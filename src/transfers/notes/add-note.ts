import type { Tx } from '../../context.ts'
import { lockTransfer, type TransferKey } from '../lock-transfer.ts'
import { insertNote } from './store.ts'

/** Adds an operator's note about a transfer. Refuses as `lockTransfer` does. */
export const addNote = async (tx: Tx, key: TransferKey, actor: string, text: string): Promise<void> => {
  const { requisiteId, id: transferId } = await lockTransfer(tx, key)
  await tx.query(insertNote, {
    ...{ requisiteId, transferId, text },
    id: tx.newId(),
    writtenBy: actor,
    writtenAt: tx.now,
  })
}
