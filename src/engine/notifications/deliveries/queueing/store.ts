import { bigint, instant, integer, query, table, text, uuid, word } from 'payin-database'
import type { NotificationPlay } from '../../../../rules/sandbox/simulation.ts'

/** Merchants with notifications that are not queued for their endpoints yet. */
export const listUnqueued = query('list_merchants_to_queue', {
  parameters: { limit: integer },
  row: { merchantId: uuid },
  // In no order, so that none is always the last one while more have new notifications than a round takes.
  text: `select counters.merchant_id from event_counters as counters
    left join queued_notifications as queued on queued.merchant_id = counters.merchant_id
    where counters.position > coalesce(queued.position, 0) order by random() limit :limit`,
})

const holding = (wait: 'skip locked' | '') =>
  `with added as (
      -- Even if it then does nothing, an insert waits for whoever has locked the row.
      insert into queued_notifications (merchant_id, position) select merchant_id, 0 from :rows
      where not exists (select from queued_notifications where queued_notifications.merchant_id = input.merchant_id)
      order by merchant_id on conflict do nothing returning merchant_id, position
    ), held as (
      select merchant_id, position from queued_notifications
      where merchant_id in (select merchant_id from :rows) order by merchant_id for update ${wait}
    )
    select counters.merchant_id, free.position, counters.position as last
    from (select * from added union all select * from held) as free
    join event_counters as counters on counters.merchant_id = free.merchant_id`

const held = { merchantId: uuid, position: bigint, last: bigint }

/** Locks those of the merchants that nobody holds; returns the last notification that is queued, and the last one. */
export const tryHoldMerchants = query('try_hold_queueing', {
  rows: { merchantId: uuid },
  row: held,
  text: holding('skip locked'),
})

/** The same, after everyone already in the queue. */
export const holdMerchants = query('hold_queueing', { rows: { merchantId: uuid }, row: held, text: holding('') })

export const boundLockWait = query('bound_lock_wait', {
  parameters: { wait: text },
  text: `select from set_config('lock_timeout', :wait, true)`,
})

/** Locks a merchant after everyone already in the queue; returns its last notification that is queued. */
export const holdMerchant = query('hold_queueing_of_merchant', {
  parameters: { merchantId: uuid },
  row: { position: bigint },
  // Unlike a lock alone, it also excludes those who add the row, and returns the latest position.
  text: `insert into queued_notifications as queued (merchant_id, position) values (:merchantId, 0)
    on conflict (merchant_id) do update set position = queued.position returning position`,
})

/**
 * Queues the next notifications of merchants, from `first` to `last`, for the endpoints that subscribe to them, and wakes
 * their lanes; returns the deliveries of sandbox payments. The merchants must be locked.
 */
export const insertDeliveries = query('insert_deliveries', {
  parameters: { now: instant },
  rows: { merchantId: uuid, first: bigint, last: bigint },
  row: { merchantId: uuid, endpointId: uuid, position: bigint, kind: text, amount: bigint, currency: text },
  text: `with spans as (select :columns from :rows), marked as (
      update queued_notifications set position = spans.last from spans
      where queued_notifications.merchant_id = spans.merchant_id
    ), queued as (
      insert into deliveries (merchant_id, endpoint_id, position, payment_id, status, attempts, step, due_at, queued_at)
      select outbox.merchant_id, endpoints.id, outbox.position, outbox.payment_id, 'pending', 0, 0, :now, :now
      from spans
      join notification_endpoints as endpoints on endpoints.merchant_id = spans.merchant_id
        and endpoints.status = 'enabled'
      join outbox on outbox.merchant_id = spans.merchant_id and outbox.position between spans.first and spans.last
      where case when outbox.endpoint_id is null
        then endpoints.kinds = '[]' or jsonb_exists(endpoints.kinds, outbox.kind) else outbox.endpoint_id = endpoints.id end
      on conflict do nothing
      returning merchant_id, endpoint_id, position, payment_id
    ), woken as (
      insert into delivery_lanes (merchant_id, endpoint_id, wake_at, asked_at)
      select queued.merchant_id, queued.endpoint_id, :now, case when bool_or(outbox.endpoint_id is not null) then :now end
      from queued join outbox on outbox.merchant_id = queued.merchant_id and outbox.position = queued.position
      group by 1, 2 order by 1, 2
      -- A pause is only known of a lane that nobody holds; least() passes over null. A test ends it.
      on conflict (merchant_id, endpoint_id) do update set
        asked_at = coalesce(excluded.asked_at, delivery_lanes.asked_at),
        paused_until = case when excluded.asked_at is null then delivery_lanes.paused_until
          else least(delivery_lanes.paused_until, excluded.asked_at) end,
        wake_at = least(delivery_lanes.wake_at,
          case when delivery_lanes.leased_by is null and excluded.asked_at is null
            then greatest(excluded.wake_at, delivery_lanes.paused_until) else excluded.wake_at end)
    )
    select queued.merchant_id, queued.endpoint_id, queued.position, outbox.kind, payments.amount, payments.currency
    from queued join merchants on merchants.id = queued.merchant_id and merchants.mode = 'sandbox'
    join outbox on outbox.merchant_id = queued.merchant_id and outbox.position = queued.position
    join payments on payments.merchant_id = queued.merchant_id and payments.id = queued.payment_id`,
})

export const updatePlays = table('deliveries', { merchantId: uuid, endpointId: uuid, position: bigint }).updateAll(
  'update_delivery_plays',
  { play: word<NotificationPlay>(), dueAt: instant },
)
