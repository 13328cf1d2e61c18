import type { Context } from '../../context.ts'
import type { ReceiptType } from '../../../rules/payments/receipt.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decryptApart, encryptApart } from '../../../secrets/file-cipher.ts'
import { hashBytes } from '../../../secrets/hashes.ts'
import type { SealedTable } from '../../../secrets/vault.ts'

export type ReceiptFile = { readonly type: ReceiptType; readonly content: Uint8Array }

export const fileTables = ['payer_receipts', 'dispute_evidence'] as const

type FileTable = (typeof fileTables)[number]

/** What a row keeps of a content: the sealed content or, with a hash, the sealed key of content stored elsewhere. */
export type Kept = { readonly contentSealed: string; readonly contentHash: string | null }

type Tools = Pick<Context, 'files' | 'vault'>

const keyBytes = 32

/** What the keyed hash of a file, by which a repeated one is recognised, is computed from. */
const indexed = (hash: Uint8Array) => ['receipt', Buffer.from(hash).toString('base64')] as const

const locationOf = (table: FileTable, id: string) => ({ table, column: 'content_sealed', row: id })

const nameOf = (table: FileTable, id: string): string => `${table}/${id}`

const unavailable = (): Refusal =>
  new Refusal('database_unavailable', 'The file storage is out of reach; try again shortly.', {
    retryAfterSeconds: 5,
  })

/**
 * The row values of a new file; if there is a file storage, the content goes there, and the row keeps its key and its
 * hash. Call it before a transaction: 5 MB take tens of milliseconds, and a remote storage takes longer. If the
 * transaction is rolled back, a job removes the file. Refuses `database_unavailable` if the storage does not accept it.
 */
export const sealFile = async (
  { files, vault, newId }: Pick<Context, 'newId'> & Tools,
  table: FileTable,
  { type, content }: ReceiptFile,
) => {
  const id = newId()
  const hash = hashBytes(content)
  const apart = files && encryptApart(content)
  if (apart)
    await files.put(nameOf(table, id), apart.content).catch(() => {
      throw unavailable()
    })
  const kept = apart ? Buffer.concat([apart.key, hash]) : content
  return {
    id,
    contentType: type,
    size: content.length,
    contentIndex: vault.blindIndex(...indexed(hash)),
    /** By each of the keys: it may have been stored with an older one. */
    contentIndexes: vault.blindIndexes(...indexed(hash)),
    contentSealed: vault.encryptBytes(kept, locationOf(table, id)),
    contentHash: apart?.hash ?? null,
  }
}

/** Opens the content of a row, outside any transaction. Refuses `database_unavailable` if storage is unreachable. */
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
  return decryptApart({ key: kept.subarray(0, keyBytes), content, hash: contentHash })
}

const sealed = {
  columns: [
    {
      name: 'content_sealed',
      index: {
        name: 'content_index',
        of: (vault, kept, row) =>
          vault.blindIndex(...indexed(row['content_hash'] ? kept.subarray(keyBytes) : hashBytes(kept))),
      },
    },
  ],
  also: ['content_hash'],
  rowsAtOnce: 4,
} satisfies Partial<SealedTable>

/** Files that payers sent; up to 5 MB each, so only a few are resealed at a time. */
export const sealedReceipts: SealedTable = {
  ...sealed,
  table: 'payer_receipts',
  key: { merchant_id: 'uuid', payment_id: 'uuid', id: 'uuid' },
}

export const sealedEvidence: SealedTable = {
  ...sealed,
  table: 'dispute_evidence',
  key: { merchant_id: 'uuid', dispute_id: 'uuid', id: 'uuid' },
}
