import type { TypedName } from '../../domain/id-text.ts'
import type { Context, Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Settlement, SettlementStatus } from '../../domain/settlement.ts'
import { findSettlement, findSettlements, listSettlementEvents, selectSettlements } from './store.ts'

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

/** A settlement that money may be sent for; refuses `resource_not_found`, and `invalid_state` before it is approved. */
export const findPayableSettlement = async (tx: Tx, merchantId: string, id: string): Promise<Settlement> => {
  const [settlement] = await tx.query(findSettlement, { merchantId, id })
  if (!settlement) throw new Refusal('resource_not_found', 'There is no such settlement.')
  if (settlement.status === 'approved' || settlement.status === 'paid') return settlement
  throw new Refusal('invalid_state', `The settlement is ${settlement.status}: no money is sent for it.`)
}

/** Settlements of books that a reference or a shortened id may mean, a few of them. */
export const findSettlementsByName = (
  context: Context,
  wanted: TypedName & { readonly merchantIds: readonly string[] },
) => context.query(findSettlements, wanted)
