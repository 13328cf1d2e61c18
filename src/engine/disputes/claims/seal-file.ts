import type { Context } from '../../context.ts'
import type { ReceiptType } from '../../../rules/payments/receipt.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decryptApart, encryptApart } from '../../../secrets/file-cipher.ts'
import { hashBytes } from '../../../secrets/hashes.ts'
import type { SealedTable } from '../../../secrets/sealed-table.ts'
import type { Vault } from '../../../secrets/vault.ts'

export type ReceiptFile = { readonly type: ReceiptType; readonly content: Uint8Array }

export const fileTables = ['payer_receipts', 'dispute_evidence'] as const

type FileTable = (typeof fileTables)[number]

/**
 * What a row keeps of a content: the sealed content itself or, with a hash, the sealed key of content stored elsewhere.
 */
export type Kept = { readonly contentSealed: string; readonly contentHash: string | null }

type Tools = Pick<Context, 'files' | 'vault'>

// No picture or document begins like this: a row that keeps a key, and the hash of the content that it opens.
const keyMark = Buffer.from('payin-file-key-1')
const keyBytes = 32

const keptKey = (key: Buffer, content: Uint8Array): Buffer => Buffer.concat([keyMark, key, hashBytes(content)])

const isKey = (kept: Uint8Array): boolean => keyMark.equals(kept.subarray(0, keyMark.length))

type Hashed = readonly [kind: string, value: string]

const wholeOf = (content: Uint8Array): Hashed => ['receipt', Buffer.from(content).toString('base64')]
const hashedOf = (hash: Uint8Array): Hashed => ['receipt-hash', Buffer.from(hash).toString('base64')]

/** The keyed hash of a file, computed from what its row keeps, by which a repeated file is recognised. */
const contentIndex = (vault: Pick<Vault, 'blindIndex'>, kept: Uint8Array): string =>
  vault.blindIndex(...(isKey(kept) ? hashedOf(kept.subarray(keyMark.length + keyBytes)) : wholeOf(kept)))

const locationOf = (table: FileTable, id: string) => ({ table, column: 'content_sealed', row: id })

const nameOf = (table: FileTable, id: string): string => `${table}/${id}`

const unavailable = (): Refusal =>
  new Refusal('database_unavailable', 'The file storage is out of reach; try again shortly.', {
    retryAfterSeconds: 5,
  })

/**
 * Seals a content for its row; if there is a file storage, stores it there, and the row keeps the key. Refuses
 * `database_unavailable` if the storage does not accept it.
 */
export const keepContent = async (
  { files, vault }: Tools,
  table: FileTable,
  id: string,
  content: Uint8Array,
): Promise<Kept & { readonly contentIndex: string }> => {
  const keep = (kept: Uint8Array, contentHash: string | null) => ({
    contentIndex: contentIndex(vault, kept),
    contentSealed: vault.encryptBytes(kept, locationOf(table, id)),
    contentHash,
  })
  if (!files) return keep(content, null)
  const apart = encryptApart(content)
  try {
    await files.put(nameOf(table, id), apart.content)
  } catch {
    throw unavailable()
  }
  return keep(keptKey(apart.key, content), apart.hash)
}

/**
 * The row values of a new file. Call it before a transaction: 5 MB take tens of milliseconds, and a remote storage
 * takes longer. If the transaction is rolled back, a job removes the file.
 */
export const sealFile = async (
  context: Pick<Context, 'newId'> & Tools,
  table: FileTable,
  { type, content }: ReceiptFile,
) => {
  const id = context.newId()
  return {
    id,
    contentType: type,
    size: content.length,
    /** For the content in both forms and by each of the keys: it may have been stored with an older one. */
    contentIndexes: [
      ...context.vault.blindIndexes(...wholeOf(content)),
      ...context.vault.blindIndexes(...hashedOf(hashBytes(content))),
    ],
    ...(await keepContent(context, table, id, content)),
  }
}

/**
 * Opens the content of a row, outside any transaction. Refuses `database_unavailable` if the storage is unreachable.
 */
export const openFile = async (
  { files, vault }: Tools,
  table: FileTable,
  { id, contentSealed, contentHash }: Kept & { readonly id: string },
): Promise<Buffer> => {
  const kept = vault.decryptBytes(contentSealed, locationOf(table, id))
  if (contentHash === null) return kept
  if (!files) throw new Error(`the file ${id} is stored elsewhere: set PAYIN_FILE_STORAGE as it was`)
  const content = await files.get(nameOf(table, id)).catch(() => {
    throw unavailable()
  })
  if (!content) throw new Error(`the file ${id} is not in the storage of files`)
  return decryptApart({ key: kept.subarray(keyMark.length, keyMark.length + keyBytes), content, hash: contentHash })
}

const content: SealedTable['columns'] = [
  { name: 'content_sealed', index: { name: 'content_index', of: (vault, file) => contentIndex(vault, file) } },
]

/** Files that payers sent; up to 5 MB each, so only a few are resealed at a time. */
export const sealedReceipts: SealedTable = {
  table: 'payer_receipts',
  key: { merchant_id: 'uuid', payment_id: 'uuid', id: 'uuid' },
  columns: content,
  rowsAtOnce: 4,
}

export const sealedEvidence: SealedTable = {
  table: 'dispute_evidence',
  key: { merchant_id: 'uuid', dispute_id: 'uuid', id: 'uuid' },
  columns: content,
  rowsAtOnce: 4,
}
