import type { Context } from '../../context.ts'
import type { TransferKey } from '../lock-transfer.ts'
import { selectNotes } from './store.ts'

/** The notes about a transfer, the oldest first. */
export const listNotes = (context: Context, { requisiteId, id: transferId }: TransferKey) =>
  context.query(selectNotes, { requisiteId, transferId })
