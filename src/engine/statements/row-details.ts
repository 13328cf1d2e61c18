import { sealedJson } from '../../secrets/sealed-text.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'

/** What a row says about the payer, sealed as one value. */
type RowDetails = {
  readonly sender: string | null
  readonly senderName: string | null
  readonly senderBank: string | null
  readonly text: string | null
  readonly number: string | null
  /** Absent unless the file does not say on which day it was booked. */
  readonly isDayUnknown?: boolean
}

const { seal, open } = sealedJson<RowDetails>('statement_rows', 'details_sealed')

/** Seals what a row says about the payer. */
export const sealDetails = (vault: Vault, statementId: string, position: number, details: RowDetails): string =>
  seal(vault, `${statementId}/${position}`, details)

/** Opens what `sealDetails` sealed. */
export const rowDetails = (vault: Vault, statementId: string, position: number, sealed: string): RowDetails =>
  open(vault, `${statementId}/${position}`, sealed)

/** The number of a document, without the date that 1C adds to it. */
export const documentNumberOf = ({ number }: Pick<RowDetails, 'number'>): string | null =>
  number?.replace(/ \d\d\.\d\d\.\d{4}$/, '') ?? null

export const sealedSources: SealedTable = {
  table: 'statement_sources',
  key: { id: 'uuid' },
  columns: [{ name: 'key_sealed' }, { name: 'pickup_secret_sealed' }],
}

export const sealedRows: SealedTable = {
  table: 'statement_rows',
  key: { statement_id: 'uuid', position: 'integer' },
  columns: [{ name: 'details_sealed' }],
  rowOf: (row) => `${row['statement_id']}/${row['position']}`,
}
