import type { SealedTable } from '../secrets/sealed-table.ts'

/** The keys that sign the pushes of sources. */
export const sealedSources: SealedTable = {
  table: 'statement_sources',
  key: { id: 'uuid' },
  columns: [{ name: 'key_sealed' }],
}

/** What rows of statements say of payers. */
export const sealedRows: SealedTable = {
  table: 'statement_rows',
  key: { statement_id: 'uuid', position: 'integer' },
  columns: [{ name: 'details_sealed' }],
  rowOf: (row) => `${row['statement_id']}/${row['position']}`,
}
