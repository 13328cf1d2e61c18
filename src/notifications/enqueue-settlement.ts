import type { Tx } from '../context.ts'
import { settlementBody } from '../domain/notification.ts'
import type { Settlement } from '../domain/settlement.ts'
import { enqueueEvents } from './enqueue-events.ts'

/** Freezes the notification of a settlement that was just paid; part of the transaction of the change. */
export const enqueueSettlement = (tx: Tx, settlement: Settlement): Promise<unknown> =>
  enqueueEvents(tx, [
    {
      merchantId: settlement.merchantId,
      paymentId: null,
      settlementId: settlement.id,
      sequence: settlement.sequence,
      kind: 'settlement.paid',
      body: settlementBody(settlement),
      at: settlement.changedAt,
    },
  ])
