import type { Context } from '../../context.ts'
import type { ReceiptType } from '../../domain/receipt.ts'

/** A file with the type of its content. */
export type ReceiptFile = { readonly type: ReceiptType; readonly content: Uint8Array }

/** Tables that keep files sealed. */
export type FileTable = 'payer_receipts' | 'dispute_evidence'

/** Where a file's sealed content is stored. */
export const fileLocation = (table: FileTable, id: string) => ({ table, column: 'content_sealed', row: id })

/** What is stored of a file. Seal it before a transaction: 5 MB take tens of milliseconds. */
export const sealFile = (
  { newId, vault }: Pick<Context, 'newId' | 'vault'>,
  table: FileTable,
  { type, content }: ReceiptFile,
) => {
  const id = newId()
  return {
    id,
    contentType: type,
    size: content.length,
    contentIndex: vault.blindIndex('receipt', Buffer.from(content).toString('base64')),
    contentSealed: vault.encryptBytes(content, fileLocation(table, id)),
  }
}
