import type { SealedTable } from '../../secrets/sealed-table.ts'

/** The secrets of alert channels. */
export const sealedChannels: SealedTable = {
  table: 'alert_channels',
  key: { id: 'uuid' },
  columns: [{ name: 'secret_sealed', locatedAs: 'secret' }],
}
