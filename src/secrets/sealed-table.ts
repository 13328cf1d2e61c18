import type { Vault } from './vault.ts'

/** What a table has of a row, as text: its key, what is sealed, and what else is asked for. */
export type SealedRow = Readonly<Record<string, string | null>>

/** A column that the vault seals. */
export type SealedColumn = {
  readonly name: string
  /** What its location calls it. Default: `name`. */
  readonly locatedAs?: string
  /** The keyed hash that is made of its content, in another column; null leaves that as it is. */
  readonly index?: {
    readonly name: string
    of(vault: Pick<Vault, 'blindIndex'>, content: Buffer, row: SealedRow): string | null
  }
}

/** A table with sealed columns: what the rotation of the encryption keys needs to know of it. */
export type SealedTable = {
  readonly table: string
  /** The columns of its primary key in their order. */
  readonly key: Readonly<Record<string, 'uuid' | 'integer'>>
  readonly columns: readonly SealedColumn[]
  /** What the locations of its columns call a row. Default: its `id`. */
  readonly rowOf?: (row: SealedRow) => string
  /** Further columns that the indexes are made of. */
  readonly also?: readonly string[]
  /** How many rows are renewed in one transaction. Default: 500. */
  readonly rowsAtOnce?: number
}

/** A keyed hash that was made again with the first key. */
export type RenewedIndex = { readonly column: string; readonly before: string; readonly after: string }
