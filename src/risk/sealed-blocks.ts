import type { PayerKind } from '../domain/risk.ts'
import type { SealedTable } from '../secrets/sealed-table.ts'
import { payerIndex } from './identify-payers.ts'

/** Blocked payers. */
export const sealedBlocks: SealedTable = {
  table: 'risk_blocks',
  key: { id: 'uuid' },
  also: ['kind', 'merchant_id'],
  columns: [
    {
      name: 'value_sealed',
      index: {
        name: 'payer_index',
        of: (vault, value, row) =>
          payerIndex(vault, row['kind'] as PayerKind, row['merchant_id'] ?? null, value.toString()),
      },
    },
  ],
}
