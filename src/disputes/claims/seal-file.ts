import type { Context } from '../../context.ts'
import type { ReceiptType } from '../../domain/receipt.ts'
import type { Vault } from '../../secrets/vault.ts'

/** A file with the type of its content. */
export type ReceiptFile = { readonly type: ReceiptType; readonly content: Uint8Array }

/** Tables that keep files sealed. */
export type FileTable = 'payer_receipts' | 'dispute_evidence'

/** Where a file's sealed content is stored. */
export const fileLocation = (table: FileTable, id: string) => ({ table, column: 'content_sealed', row: id })

const hashedOf = (content: Uint8Array): readonly [string, string] => [
  'receipt',
  Buffer.from(content).toString('base64'),
]

/** The keyed hash of a file, by which it is found to be there already. */
export const contentIndex = (vault: Pick<Vault, 'blindIndex'>, content: Uint8Array): string =>
  vault.blindIndex(...hashedOf(content))

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
    contentIndex: contentIndex(vault, content),
    /** By each of the keys: a file may have been stored with an older one. */
    contentIndexes: vault.blindIndexes(...hashedOf(content)),
    contentSealed: vault.encryptBytes(content, fileLocation(table, id)),
  }
}
