import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { findSettlement, listSettlementEvents } from './store.ts'

/** A settlement with its events in order. Refuses `resource_not_found`. */
export const getSettlement = async (context: Context, merchantId: string, id: string) => {
  const [settlement] = await context.query(findSettlement, { merchantId, id })
  if (!settlement) throw new Refusal('resource_not_found', 'There is no such settlement.')
  return { settlement, events: await context.query(listSettlementEvents, { merchantId, settlementId: id }) }
}
