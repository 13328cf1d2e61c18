import type { Context } from '../../context.ts'
import type { Settlement, SettlementStatus } from '../../domain/settlement.ts'
import { listSettlements as list } from './store.ts'

/** Settlements of a merchant or of all, the newest first, from before an id. */
export const listSettlements = (
  context: Context,
  filter: {
    readonly merchantId: string | null
    readonly status: SettlementStatus | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<Settlement[]> => context.query(list, filter)
