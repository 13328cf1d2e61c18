import type { SealedTable } from '../secrets/sealed-table.ts'
import { contentIndex } from './claims/seal-file.ts'

const content: SealedTable['columns'] = [
  { name: 'content_sealed', index: { name: 'content_index', of: (vault, file) => contentIndex(vault, file) } },
]

/** Files that payers sent; up to 5 MB each, so that few are renewed at once. */
export const sealedReceipts: SealedTable = {
  table: 'payer_receipts',
  key: { merchant_id: 'uuid', payment_id: 'uuid', id: 'uuid' },
  columns: content,
  rowsAtOnce: 4,
}

/** Files of disputes. */
export const sealedEvidence: SealedTable = {
  table: 'dispute_evidence',
  key: { merchant_id: 'uuid', dispute_id: 'uuid', id: 'uuid' },
  columns: content,
  rowsAtOnce: 4,
}
