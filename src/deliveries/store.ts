import {
  array,
  bigint,
  boolean,
  instant,
  integer,
  nullable,
  statement,
  text,
  uuid,
  word,
} from '../database/statement.ts'
import type { DeliveryError } from '../domain/delivery.ts'
import type { MerchantMode } from '../domain/merchant.ts'
import type { NotificationPlay } from '../domain/simulation.ts'

/** Where a delivery stands. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

/**
 * Queues events that have just been placed for the endpoints that hear of them, and wakes their lanes; returns those of
 * sandbox payments.
 */
export const insertDeliveries = statement({
  name: 'insert_deliveries',
  parameters: { merchantIds: array(uuid), firsts: array(bigint), lasts: array(bigint), now: instant },
  row: { merchantId: uuid, endpointId: uuid, position: bigint, kind: text, amount: bigint, currency: text },
  text: `with queued as (
      insert into deliveries (merchant_id, endpoint_id, position, payment_id, status, attempts, step, due_at, queued_at)
      select outbox.merchant_id, endpoints.id, outbox.position, outbox.payment_id, 'pending', 0, 0, :now, :now
      from unnest(:merchantIds, :firsts, :lasts) as placed (merchant_id, first, last)
      join notification_endpoints as endpoints on endpoints.merchant_id = placed.merchant_id
        and endpoints.status = 'enabled'
      join outbox on outbox.merchant_id = placed.merchant_id and outbox.position between placed.first and placed.last
      where case when outbox.endpoint_id is null
        then endpoints.kinds = '[]' or jsonb_exists(endpoints.kinds, outbox.kind) else outbox.endpoint_id = endpoints.id end
      on conflict do nothing
      returning merchant_id, endpoint_id, position, payment_id
    ), woken as (
      insert into delivery_lanes (merchant_id, endpoint_id, wake_at)
      select distinct merchant_id, endpoint_id, :now from queued order by 1, 2
      on conflict (merchant_id, endpoint_id) do update
        set wake_at = least(coalesce(delivery_lanes.wake_at, excluded.wake_at), excluded.wake_at)
    )
    select queued.merchant_id, queued.endpoint_id, queued.position, outbox.kind, payments.amount, payments.currency
    from queued join merchants on merchants.id = queued.merchant_id and merchants.mode = 'sandbox'
    join outbox on outbox.merchant_id = queued.merchant_id and outbox.position = queued.position
    join payments on payments.merchant_id = queued.merchant_id and payments.id = queued.payment_id`,
})

/** Notes what the sandbox plays with deliveries. */
export const updatePlays = statement({
  name: 'update_delivery_plays',
  parameters: {
    merchantIds: array(uuid),
    endpointIds: array(uuid),
    positions: array(bigint),
    plays: array(word<NotificationPlay>()),
    dueAts: array(instant),
  },
  row: {},
  text: `update deliveries set play = input.play, due_at = input.due_at
    from unnest(:merchantIds, :endpointIds, :positions, :plays, :dueAts)
      as input (merchant_id, endpoint_id, position, play, due_at)
    where deliveries.merchant_id = input.merchant_id and deliveries.endpoint_id = input.endpoint_id
      and deliveries.position = input.position`,
})

const target = {
  merchantId: uuid,
  endpointId: uuid,
  url: text,
  enabled: boolean,
  secretSealed: text,
  previousSecretSealed: nullable(text),
  previousSecretUntil: nullable(instant),
  mode: word<MerchantMode>(),
}

/** Takes free lanes in which something may be due, for one worker until a time. */
export const leaseLanes = statement({
  name: 'lease_lanes',
  parameters: { now: instant, until: instant, worker: uuid, limit: integer },
  row: { ...target, failures: integer, failingSince: nullable(instant) },
  // Locks the lanes that it takes until it has written the lease; those that another worker is taking are left to it.
  text: `with due as (
      select lanes.merchant_id, lanes.endpoint_id from delivery_lanes as lanes
      join notification_endpoints as endpoints on endpoints.merchant_id = lanes.merchant_id
        and endpoints.id = lanes.endpoint_id and endpoints.status = 'enabled'
      where coalesce(lanes.leased_until, lanes.wake_at) <= :now and lanes.paused_until <= :now
      order by coalesce(lanes.leased_until, lanes.wake_at) limit :limit for update of lanes skip locked
    ), taken as (
      update delivery_lanes as lanes set leased_by = :worker, leased_until = :until, wake_at = null from due
      where lanes.merchant_id = due.merchant_id and lanes.endpoint_id = due.endpoint_id
      returning lanes.merchant_id, lanes.endpoint_id, lanes.failures, lanes.failing_since
    )
    select taken.merchant_id, taken.endpoint_id, endpoints.url, endpoints.status = 'enabled' as enabled,
      endpoints.secret_sealed, endpoints.previous_secret_sealed, endpoints.previous_secret_until, merchants.mode,
      taken.failures, taken.failing_since
    from taken join notification_endpoints as endpoints on endpoints.merchant_id = taken.merchant_id
      and endpoints.id = taken.endpoint_id
    join merchants on merchants.id = taken.merchant_id`,
})

const health = {
  merchantIds: array(uuid),
  endpointIds: array(uuid),
  failures: array(integer),
  failingSinces: array(nullable(instant)),
  pausedUntils: array(instant),
}

/** Renews a worker's leases and writes how its lanes fare; returns those that it still has, as they are set now. */
export const renewLanes = statement({
  name: 'renew_lanes',
  parameters: { ...health, until: instant, worker: uuid },
  row: target,
  text: `with kept as (
      update delivery_lanes as lanes set leased_until = :until, failures = input.failures,
        failing_since = input.failing_since, paused_until = input.paused_until
      from unnest(:merchantIds, :endpointIds, :failures, :failingSinces, :pausedUntils)
        as input (merchant_id, endpoint_id, failures, failing_since, paused_until)
      where lanes.merchant_id = input.merchant_id and lanes.endpoint_id = input.endpoint_id and lanes.leased_by = :worker
      returning lanes.merchant_id, lanes.endpoint_id
    )
    select kept.merchant_id, kept.endpoint_id, endpoints.url, endpoints.status = 'enabled' as enabled,
      endpoints.secret_sealed, endpoints.previous_secret_sealed, endpoints.previous_secret_until, merchants.mode
    from kept join notification_endpoints as endpoints on endpoints.merchant_id = kept.merchant_id
      and endpoints.id = kept.endpoint_id
    join merchants on merchants.id = kept.merchant_id`,
})

/** Not behind an earlier one of the same payment at the same endpoint; what the sandbox plays is out of order. */
const isHead = `(deliveries.payment_id is null or deliveries.play is not null or not exists (
  select from deliveries as earlier where earlier.merchant_id = deliveries.merchant_id
    and earlier.endpoint_id = deliveries.endpoint_id and earlier.payment_id = deliveries.payment_id
    and earlier.position < deliveries.position and earlier.status = 'pending' and earlier.play is null))`

/** Gives lanes back, with how they fare and when there is something to do for them next. */
export const releaseLanes = statement({
  name: 'release_lanes',
  parameters: { ...health, worker: uuid },
  row: {},
  // What was queued since the last look has set wake_at with its own commit: the sooner of both counts.
  text: `update delivery_lanes as lanes set leased_by = null, leased_until = null, failures = input.failures,
      failing_since = input.failing_since, paused_until = input.paused_until,
      wake_at = least(lanes.wake_at, case when next.due_at > input.paused_until then next.due_at
        when next.due_at is not null then input.paused_until end)
    from unnest(:merchantIds, :endpointIds, :failures, :failingSinces, :pausedUntils)
      as input (merchant_id, endpoint_id, failures, failing_since, paused_until)
    left join lateral (
      select due_at from deliveries where deliveries.merchant_id = input.merchant_id
        and deliveries.endpoint_id = input.endpoint_id and deliveries.status = 'pending' and ${isHead}
      order by due_at limit 1
    ) as next on true
    where lanes.merchant_id = input.merchant_id and lanes.endpoint_id = input.endpoint_id and lanes.leased_by = :worker`,
})

/** What is due in lanes, in order, except what is held already; up to so many for each. */
export const listDue = statement({
  name: 'list_due_deliveries',
  parameters: {
    merchantIds: array(uuid),
    endpointIds: array(uuid),
    heldEndpointIds: array(uuid),
    heldPositions: array(bigint),
    now: instant,
    limit: integer,
  },
  row: {
    merchantId: uuid,
    endpointId: uuid,
    position: bigint,
    attempts: integer,
    step: integer,
    play: nullable(word<NotificationPlay>()),
    eventId: uuid,
    body: text,
  },
  text: `select due.merchant_id, due.endpoint_id, due.position, due.attempts, due.step, due.play, outbox.id as event_id,
      outbox.body
    from unnest(:merchantIds, :endpointIds) as lane (merchant_id, endpoint_id) cross join lateral (
      select merchant_id, endpoint_id, position, attempts, step, play, due_at from deliveries
      where deliveries.merchant_id = lane.merchant_id and deliveries.endpoint_id = lane.endpoint_id
        and deliveries.status = 'pending' and deliveries.due_at <= :now and ${isHead}
        and (endpoint_id, position) not in (select * from unnest(:heldEndpointIds, :heldPositions))
      order by due_at, position limit :limit
    ) as due
    join outbox on outbox.merchant_id = due.merchant_id and outbox.position = due.position
    order by due.due_at, due.position`,
})

/** Writes what came of attempts, and logs them; an attempt that another worker has overtaken changes nothing. */
export const recordAttempts = statement({
  name: 'record_attempts',
  parameters: {
    merchantIds: array(uuid),
    endpointIds: array(uuid),
    positions: array(bigint),
    attempts: array(integer),
    statuses: array(word<DeliveryStatus>()),
    steps: array(integer),
    dueAts: array(instant),
    ats: array(instant),
    answers: array(nullable(integer)),
    errors: array(nullable(word<DeliveryError>())),
    latencies: array(integer),
    excerpts: array(text),
    now: instant,
  },
  row: {},
  text: `with input as (
      select * from unnest(:merchantIds, :endpointIds, :positions, :attempts, :statuses, :steps, :dueAts, :ats, :answers,
        :errors, :latencies, :excerpts) as input (merchant_id, endpoint_id, position, attempts, status, step, due_at, at,
        answer, error, latency_ms, excerpt)
    ), marked as (
      update deliveries set status = input.status, attempts = deliveries.attempts + 1, step = input.step,
        due_at = input.due_at,
        -- Delivered and to be delivered again: from here on an ordinary delivery.
        play = case when input.status = 'pending' and input.answer between 200 and 299 then null else deliveries.play end,
        settled_at = case when input.status = 'pending' then null else :now end
      from input
      where deliveries.merchant_id = input.merchant_id and deliveries.endpoint_id = input.endpoint_id
        and deliveries.position = input.position and deliveries.status = 'pending'
        and deliveries.attempts = input.attempts
      returning deliveries.merchant_id, deliveries.endpoint_id, deliveries.position, deliveries.attempts as attempt,
        input.at, input.answer, input.error, input.latency_ms, input.excerpt
    )
    insert into delivery_attempts (merchant_id, endpoint_id, position, attempt, at, status, error, latency_ms, excerpt)
    select * from marked`,
})

/** Brings the retries of an endpoint that works again forward to now. */
export const bringForward = statement({
  name: 'bring_deliveries_forward',
  parameters: { merchantId: uuid, endpointId: uuid, now: instant },
  row: {},
  text: `update deliveries set due_at = :now
    where merchant_id = :merchantId and endpoint_id = :endpointId and status = 'pending' and due_at > :now
      and play is null`,
})

const deliveryRow = {
  eventId: uuid,
  position: bigint,
  kind: text,
  paymentId: nullable(uuid),
  status: word<DeliveryStatus>(),
  attempts: integer,
  dueAt: instant,
  queuedAt: instant,
  settledAt: nullable(instant),
}
const deliveryColumns = `outbox.id as event_id, deliveries.position, outbox.kind, deliveries.payment_id,
  deliveries.status, deliveries.attempts, deliveries.due_at, deliveries.queued_at, deliveries.settled_at`

/** A page of an endpoint's deliveries, the newest event first. */
export const listDeliveries = statement({
  name: 'list_deliveries',
  planned: 'anew',
  parameters: {
    merchantId: uuid,
    endpointId: uuid,
    status: nullable(text),
    before: nullable(bigint),
    limit: integer,
  },
  row: deliveryRow,
  text: `select ${deliveryColumns} from deliveries join outbox using (merchant_id, position)
    where deliveries.merchant_id = :merchantId and deliveries.endpoint_id = :endpointId
      and (:status is null or deliveries.status = :status) and (:before is null or deliveries.position < :before)
    order by deliveries.position desc limit :limit`,
})

/** An endpoint's delivery of one event, with the event's body. */
export const findDelivery = statement({
  name: 'find_delivery',
  parameters: { merchantId: uuid, endpointId: uuid, eventId: uuid },
  row: { ...deliveryRow, body: text },
  text: `select ${deliveryColumns}, outbox.body from outbox join deliveries using (merchant_id, position)
    where outbox.merchant_id = :merchantId and outbox.id = :eventId and deliveries.endpoint_id = :endpointId`,
})

/** The newest attempts of a delivery, the first of them first. */
export const listAttempts = statement({
  name: 'list_delivery_attempts',
  parameters: { merchantId: uuid, endpointId: uuid, position: bigint, limit: integer },
  row: {
    attempt: integer,
    at: instant,
    status: nullable(integer),
    error: nullable(word<DeliveryError>()),
    latencyMs: integer,
    excerpt: text,
  },
  text: `select attempt, at, status, error, latency_ms, excerpt from (
      select attempt, at, status, error, latency_ms, excerpt from delivery_attempts
      where merchant_id = :merchantId and endpoint_id = :endpointId and position = :position
      order by attempt desc limit :limit
    ) as newest order by attempt`,
})

/** Starts the plan of a delivery anew, whatever became of it. */
export const restartDelivery = statement({
  name: 'restart_delivery',
  parameters: { merchantId: uuid, endpointId: uuid, position: bigint, now: instant },
  row: {},
  text: `update deliveries set status = 'pending', step = 0, due_at = :now, queued_at = :now, settled_at = null
    where merchant_id = :merchantId and endpoint_id = :endpointId and position = :position`,
})

/**
 * Starts the failed deliveries of events since a time anew and queues those events that the endpoint missed while it was
 * disabled; returns how many. What happened before `keptSince` is not missed: its delivery may have been deleted.
 */
export const restartDeliveries = statement({
  name: 'restart_deliveries',
  parameters: {
    merchantId: uuid,
    endpointId: uuid,
    since: instant,
    keptSince: instant,
    now: instant,
    limit: integer,
  },
  row: { events: bigint },
  text: `with wanted as (
      select outbox.merchant_id, outbox.position, outbox.payment_id from outbox
      join notification_endpoints as endpoints on endpoints.merchant_id = outbox.merchant_id
        and endpoints.id = :endpointId
      left join deliveries on deliveries.merchant_id = outbox.merchant_id and deliveries.endpoint_id = :endpointId
        and deliveries.position = outbox.position
      where outbox.merchant_id = :merchantId and outbox.position is not null and outbox.created_at >= :since
        and outbox.endpoint_id is null and (endpoints.kinds = '[]' or jsonb_exists(endpoints.kinds, outbox.kind))
        and (deliveries.status = 'failed' or (deliveries.position is null
          and outbox.created_at >= greatest(endpoints.created_at, :keptSince)))
      order by outbox.created_at, outbox.position limit :limit
    ), queued as (
      insert into deliveries (merchant_id, endpoint_id, position, payment_id, status, attempts, step, due_at, queued_at)
      select merchant_id, :endpointId, position, payment_id, 'pending', 0, 0, :now, :now from wanted
      on conflict (merchant_id, endpoint_id, position) do update
        set status = 'pending', step = 0, due_at = :now, queued_at = :now, settled_at = null
        where deliveries.status = 'failed'
      returning 1
    )
    select count(*) as events from queued`,
})

/** Wakes a lane, also one that is paused. */
export const wakeLane = statement({
  name: 'wake_lane',
  parameters: { merchantId: uuid, endpointId: uuid, now: instant },
  row: {},
  text: `insert into delivery_lanes (merchant_id, endpoint_id, wake_at) values (:merchantId, :endpointId, :now)
    on conflict (merchant_id, endpoint_id) do update
      set wake_at = least(coalesce(delivery_lanes.wake_at, excluded.wake_at), excluded.wake_at),
        paused_until = least(delivery_lanes.paused_until, excluded.wake_at)`,
})
