import { bigint, instant, integer, nullable, query, table, text, uuid } from 'payin-database'

/**
 * Appends frozen notifications, each with the next position of its merchant; `rowsAfter` counts those of its merchant
 * that follow it.
 */
export const insertOutbox = query('insert_outbox', {
  rows: {
    merchantId: uuid,
    id: uuid,
    paymentId: nullable(uuid),
    documentId: nullable(uuid),
    sequence: nullable(integer),
    endpointId: nullable(uuid),
    kind: text,
    body: text,
    createdAt: instant,
    rowsAfter: integer,
  },
  // The counters are locked until the commit, in the order of merchants: positions become visible in their order, and no
  // two transactions wait for each other. A counter that was locked counts on from its latest value.
  text: `with given as (select :columns from :rows), counted as (
      insert into event_counters as counters (merchant_id, position)
      select merchant_id, count(*) from given group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set position = counters.position + excluded.position
      returning merchant_id, position
    )
    insert into outbox
      (merchant_id, id, payment_id, document_id, sequence, endpoint_id, kind, body, created_at, position)
    select merchant_id, id, payment_id, document_id, sequence, endpoint_id, kind, body, created_at,
      counted.position - given.rows_after
    from given join counted using (merchant_id)`,
})

/** A merchant's last position; no row before the first one. */
export const findLastPosition = table('event_counters', { merchantId: uuid }).find('find_last_position', {
  position: bigint,
})

export const selectFeed = query('list_event_feed', {
  parameters: { merchantId: uuid, after: bigint, limit: integer },
  row: { id: uuid, position: bigint, body: text },
  text: `select :row from outbox where merchant_id = :merchantId and position > :after
    order by position limit :limit`,
})
