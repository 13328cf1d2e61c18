import type { Vault } from './vault.ts'

/** The text values of a row: its key, sealed columns, and other requested columns. */
export type SealedRow = Readonly<Record<string, string | null>>

/** A column that the vault seals. */
export type SealedColumn = {
  readonly name: string
  /** The column's name in its location. Default: `name`. */
  readonly locatedAs?: string
  /** The keyed hash of its content in another column; null leaves that column as it is. */
  readonly index?: {
    readonly name: string
    of(vault: Pick<Vault, 'blindIndex'>, content: Buffer, row: SealedRow): string | null
  }
}

/** A table with sealed columns, as the rotation of the encryption keys needs it. */
export type SealedTable = {
  readonly table: string
  /** The columns of its primary key in their order. */
  readonly key: Readonly<Record<string, 'uuid' | 'integer'>>
  readonly columns: readonly SealedColumn[]
  /** The name of a row in the locations of its columns. Default: its `id`. */
  readonly rowOf?: (row: SealedRow) => string
  /** Further columns that the indexes are computed from. */
  readonly also?: readonly string[]
  /** How many rows are renewed in one transaction. Default: 500. */
  readonly rowsAtOnce?: number
}

/** A keyed hash that was computed again with the first key. */
export type RenewedIndex = { readonly column: string; readonly before: string; readonly after: string }
