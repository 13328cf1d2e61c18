import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Settlement, SettlementStatus } from '../../domain/settlement.ts'
import { findSettlement, listSettlementEvents, selectSettlements } from './store.ts'

/** A settlement with its events in order; refuses `resource_not_found`. */
export const getSettlement = async (context: Context, merchantId: string, id: string) => {
  const [settlement] = await context.query(findSettlement, { merchantId, id })
  if (!settlement) throw new Refusal('resource_not_found', 'There is no such settlement.')
  return { settlement, events: await context.query(listSettlementEvents, { merchantId, settlementId: id }) }
}

/** Settlements of a merchant or of all, the newest first, from before an id. */
export const listSettlements = (
  context: Context,
  filter: {
    readonly merchantId: string | null
    readonly status: SettlementStatus | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<Settlement[]> => context.query(selectSettlements, filter)
