import type { SealedTable } from '../../secrets/sealed-table.ts'

/** The secrets that sign notifications. */
export const sealedEndpoints: SealedTable = {
  table: 'notification_endpoints',
  key: { merchant_id: 'uuid', id: 'uuid' },
  columns: [
    { name: 'secret_sealed', locatedAs: 'secret' },
    { name: 'previous_secret_sealed', locatedAs: 'secret' },
  ],
}
