import type { SealedTable } from '../secrets/sealed-table.ts'

/** The sealed numbers and recipients of requisites. */
export const sealedRequisites: SealedTable = {
  table: 'requisites',
  key: { id: 'uuid' },
  columns: [
    {
      name: 'number_sealed',
      index: { name: 'number_index', of: (vault, number) => vault.blindIndex('requisite', number.toString()) },
    },
    { name: 'recipient_sealed' },
  ],
}
