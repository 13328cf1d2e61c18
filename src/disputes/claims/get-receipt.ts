import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Receipt } from './list-receipts-of.ts'
import { fileLocation } from './seal-file.ts'
import { findReceipt } from './store.ts'

/** Opens a receipt for the operator; refuses `resource_not_found`. */
export const getReceipt = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly paymentId: string; readonly id: string },
): Promise<Receipt & { readonly content: Buffer }> => {
  const [row] = await tx.query(findReceipt, key)
  if (!row) throw new Refusal('resource_not_found', 'There is no such receipt.')
  const { contentSealed, ...receipt } = row
  return { ...receipt, content: tx.vault.decryptBytes(contentSealed, fileLocation('payer_receipts', receipt.id)) }
}
