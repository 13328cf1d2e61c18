import type { Tx } from '../context.ts'
import { settlementBody, settlementKind } from '../domain/notification.ts'
import type { Settlement } from '../domain/settlement.ts'
import { insertSettlementNews } from './store.ts'

/** Freezes what is to be told of a settlement that was just paid; part of the transaction of the change. */
export const enqueueSettlement = async (tx: Tx, settlement: Settlement): Promise<void> => {
  const { merchantId, id: settlementId, sequence } = settlement
  const news = { kind: settlementKind, body: settlementBody(settlement), createdAt: tx.now }
  await tx.query(insertSettlementNews, { merchantId, id: tx.newId(), settlementId, sequence, ...news })
}
