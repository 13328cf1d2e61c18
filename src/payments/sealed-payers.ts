import type { SealedTable } from '../secrets/sealed-table.ts'

/** The sealed phones of payers. */
export const sealedPayers: SealedTable = {
  table: 'payments',
  key: { merchant_id: 'uuid', id: 'uuid' },
  columns: [
    {
      name: 'payer_phone_sealed',
      index: { name: 'payer_phone_index', of: (vault, phone) => vault.blindIndex('payer', phone.toString()) },
    },
  ],
}
