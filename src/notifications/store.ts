import { array, instant, integer, statement, text, uuid } from '../database/statement.ts'

/** Appends frozen notifications. */
export const insertOutbox = statement({
  name: 'insert_outbox',
  parameters: {
    merchantIds: array(uuid),
    ids: array(uuid),
    paymentIds: array(uuid),
    sequences: array(integer),
    kinds: array(text),
    bodies: array(text),
    createdAt: instant,
  },
  row: {},
  text: `insert into outbox (merchant_id, id, payment_id, sequence, kind, body, created_at)
    select merchant_id, id, payment_id, sequence, kind, body, :createdAt
    from unnest(:merchantIds, :ids, :paymentIds, :sequences, :kinds, :bodies)
      as input (merchant_id, id, payment_id, sequence, kind, body)`,
})

/** Appends a frozen notification of a settlement. */
export const insertSettlementNews = statement({
  name: 'insert_settlement_news',
  parameters: {
    merchantId: uuid,
    id: uuid,
    settlementId: uuid,
    sequence: integer,
    kind: text,
    body: text,
    createdAt: instant,
  },
  row: {},
  text: `insert into outbox (merchant_id, id, settlement_id, sequence, kind, body, created_at)
    values (:merchantId, :id, :settlementId, :sequence, :kind, :body, :createdAt)`,
})
