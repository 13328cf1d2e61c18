import type { Context, Tx } from '../../context.ts'
import { maxNotes, tooManyNotes } from '../../../rules/notices/note.ts'
import { lockTransfer, type TransferKey } from '../transfer-parts.ts'
import { insertNote, selectNotes } from './store.ts'

/** Adds an operator's note about a transfer. Refuses as `lockTransfer` does, and `invalid_state` after `maxNotes`. */
export const addNote = async (tx: Tx, key: TransferKey, actor: string, text: string): Promise<void> => {
  const { requisiteId, id: transferId } = await lockTransfer(tx, key)
  const written = { id: tx.newId(), writtenBy: actor, writtenAt: tx.now, most: maxNotes }
  const [added] = await tx.query(insertNote, { requisiteId, transferId, text, ...written })
  if (!added) throw tooManyNotes()
}

/** The notes about a transfer, the oldest first. */
export const listNotes = (context: Context, { requisiteId, id: transferId }: TransferKey) =>
  context.query(selectNotes, { requisiteId, transferId })
