import { array, bigint, boolean, instant, integer, nullable, query, sooner, text, uuid, word } from 'payin-database'
import type { DeliveryError, DeliveryStatus } from '../../../rules/notices/delivery.ts'

const written = `deliveries.merchant_id, deliveries.endpoint_id, deliveries.position, deliveries.attempts as attempt,
        input.at, input.http_status, input.error, input.latency_ms, input.excerpt`

/**
 * Writes the results of attempts, and logs them; an attempt that another worker has overtaken changes nothing, and one
 * of a delivery that was restarted meanwhile is only logged. A delivery that would have failed for good is due again if
 * the endpoint no longer has the address that it went to. Returns those whose delivery was being changed at that moment:
 * they are not written yet.
 *
 * Deliveries are looked up by their whole keys, one by one, and then named by `ctid`: as a join, planned while the table
 * was small, each attempt was compared with each delivery.
 */
export const recordAttempts = query('record_attempts', {
  parameters: { now: instant },
  rows: {
    merchantId: uuid,
    endpointId: uuid,
    position: bigint,
    attempts: integer,
    queuedAt: instant,
    url: text,
    status: word<DeliveryStatus>(),
    step: integer,
    dueAt: instant,
    failedAt: nullable(instant),
    notBefore: nullable(instant),
    at: instant,
    httpStatus: nullable(integer),
    error: nullable(word<DeliveryError>()),
    latencyMs: integer,
    excerpt: text,
  },
  row: { endpointId: uuid, position: bigint },
  text: `with input as (
      select input.*, input.status = 'failed' and endpoints.url <> input.url as is_moved, found.ctid as found_at,
        found.queued_at <> input.queued_at as is_restarted
      from :rows join notification_endpoints as endpoints on endpoints.merchant_id = input.merchant_id
        and endpoints.id = input.endpoint_id
      cross join lateral (
        select ctid, queued_at from deliveries where deliveries.merchant_id = input.merchant_id
          and deliveries.endpoint_id = input.endpoint_id and deliveries.position = input.position
          and deliveries.finished_at is null and deliveries.attempts = input.attempts offset 0
      ) as found
    ), marked as (
      update deliveries set status = case when input.is_moved then 'pending' else input.status end,
        attempts = deliveries.attempts + 1, step = input.step, due_at = input.due_at, failed_at = input.failed_at,
        not_before = input.not_before, planned_at = null,
        -- Delivered and to be delivered again: from here on an ordinary delivery.
        play = case when input.status = 'pending' and input.http_status between 200 and 299 then null else deliveries.play end,
        finished_at = case when input.status = 'pending' or input.is_moved then null else :now end
      from input where deliveries.ctid = input.found_at and not input.is_restarted
      returning ${written}
    ), restarted as (
      update deliveries set attempts = deliveries.attempts + 1, attempts_before = deliveries.attempts + 1
      from input where deliveries.ctid = input.found_at and input.is_restarted
      returning ${written}
    ), logged as (
      insert into delivery_attempts (merchant_id, endpoint_id, position, attempt, at, status, error, latency_ms, excerpt)
      select * from marked union all select * from restarted
      returning endpoint_id, position
    )
    select endpoint_id, position from input except select endpoint_id, position from logged`,
})

/**
 * Brings forward deliveries of an endpoint that wait after a position and have failed since a time, and keeps their
 * planned time; also those that a clock that was ahead has queued or tried after `latest`. Returns the last of up to `limit` that it checked, none at the end.
 */
export const bringForward = query('bring_deliveries_forward', {
  parameters: {
    merchantId: uuid,
    endpointId: uuid,
    since: instant,
    afterDueAt: instant,
    afterPosition: bigint,
    now: instant,
    latest: instant,
    limit: integer,
  },
  row: { dueAt: instant, position: bigint },
  text: `with waiting as (
      select position, due_at, failed_at, is_ahead,
        case when is_ahead then :now else greatest(:now, not_before) end as forward_at
      from deliveries cross join lateral (select coalesce(failed_at, queued_at) > :latest as is_ahead) as dated
      where merchant_id = :merchantId and endpoint_id = :endpointId and status = 'pending' and due_at > :now
        and (due_at, position) > (:afterDueAt, :afterPosition)
      order by due_at, position limit :limit
    ), brought as (
      update deliveries set due_at = waiting.forward_at,
        planned_at = case when not is_ahead then coalesce(deliveries.planned_at, deliveries.due_at) end
      from waiting where deliveries.merchant_id = :merchantId and deliveries.endpoint_id = :endpointId
        and deliveries.position = waiting.position and deliveries.status = 'pending'
        and deliveries.due_at = waiting.due_at and (waiting.failed_at >= :since or is_ahead)
        and waiting.due_at > waiting.forward_at
    )
    select due_at, position from waiting order by due_at desc, position desc limit 1`,
})

const deliveryRow = {
  eventId: uuid,
  position: bigint,
  kind: text,
  paymentId: nullable(uuid),
  /** The merchant's identifier of the payment. */
  orderId: nullable(text),
  status: word<DeliveryStatus>(),
  attempts: integer,
  /** When a pending delivery is tried next. */
  dueAt: instant,
  queuedAt: instant,
  finishedAt: nullable(instant),
}
const deliveryColumns = `outbox.id as event_id, deliveries.position, outbox.kind, deliveries.payment_id,
  payments.order_id, deliveries.status, deliveries.attempts, deliveries.due_at, deliveries.queued_at, deliveries.finished_at`
const itsPayment = `left join payments on payments.merchant_id = outbox.merchant_id and payments.id = outbox.payment_id`

export const selectDeliveries = query('list_deliveries', {
  planned: 'each-time',
  parameters: {
    merchantId: uuid,
    endpointId: uuid,
    status: nullable(text),
    paymentId: nullable(uuid),
    before: nullable(bigint),
    limit: integer,
  },
  row: deliveryRow,
  text: `select ${deliveryColumns} from deliveries join outbox using (merchant_id, position) ${itsPayment}
    where deliveries.merchant_id = :merchantId and deliveries.endpoint_id = :endpointId
      and (:status is null or deliveries.status = :status) and (:before is null or deliveries.position < :before)
      and (:paymentId is null or outbox.payment_id = :paymentId)
    order by deliveries.position desc limit :limit`,
})

export const selectDeliveriesOfPayment = query('list_deliveries_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid, limit: integer },
  row: { ...deliveryRow, endpointId: uuid },
  text: `select ${deliveryColumns}, deliveries.endpoint_id from outbox join deliveries using (merchant_id, position)
      ${itsPayment}
    where outbox.payment_id = :paymentId and outbox.merchant_id = :merchantId
    order by deliveries.position desc, deliveries.endpoint_id limit :limit`,
})

export const findDelivery = query('find_delivery', {
  parameters: { merchantId: uuid, endpointId: uuid, eventId: uuid },
  row: { ...deliveryRow, body: text },
  text: `select ${deliveryColumns}, outbox.body from outbox join deliveries using (merchant_id, position)
      ${itsPayment}
    where outbox.merchant_id = :merchantId and outbox.id = :eventId and deliveries.endpoint_id = :endpointId`,
})

export const listAttempts = query('list_delivery_attempts', {
  parameters: { merchantId: uuid, endpointId: uuid, position: bigint, limit: integer },
  row: {
    attempt: integer,
    at: instant,
    httpStatus: nullable(integer),
    error: nullable(word<DeliveryError>()),
    latencyMs: integer,
    /** Start of the answer's body, printable characters only. */
    excerpt: text,
  },
  text: `select attempt, at, status as http_status, error, latency_ms, excerpt from (
      select attempt, at, status, error, latency_ms, excerpt from delivery_attempts
      where merchant_id = :merchantId and endpoint_id = :endpointId and position = :position
      order by attempt desc limit :limit
    ) as newest order by attempt`,
})

// What is not queued yet is not missed.
const lastQueued = '(select position from queued_notifications where merchant_id = :merchantId)'

/** Events that an endpoint receives and that were not delivered to it; with `:delivered` also the delivered ones. */
export const chooseEvents = query('choose_events', {
  planned: 'each-time',
  parameters: {
    merchantId: uuid,
    endpointId: uuid,
    paymentIds: nullable(array(uuid)),
    kinds: nullable(array(text)),
    since: nullable(instant),
    sinceId: nullable(uuid),
    until: nullable(instant),
    delivered: boolean,
    keptSince: instant,
    limit: integer,
  },
  row: { position: bigint },
  text: `select outbox.position from outbox
      join notification_endpoints as endpoints on endpoints.merchant_id = outbox.merchant_id
        and endpoints.id = :endpointId
      left join deliveries on deliveries.merchant_id = outbox.merchant_id and deliveries.endpoint_id = :endpointId
        and deliveries.position = outbox.position
      where outbox.merchant_id = :merchantId and outbox.position <= ${lastQueued} and outbox.endpoint_id is null
        and (:paymentIds is null or outbox.payment_id = any(:paymentIds))
        and (:kinds is null or outbox.kind = any(:kinds))
        and (:sinceId is null or outbox.id >= :sinceId)
        and (:since is null or outbox.created_at >= :since) and (:until is null or outbox.created_at < :until)
        and (endpoints.kinds = '[]' or jsonb_exists(endpoints.kinds, outbox.kind))
        and (deliveries.status = 'failed' or :delivered and deliveries.status = 'delivered'
          or (deliveries.position is null and outbox.created_at >= greatest(endpoints.created_at, :keptSince)))
      order by outbox.id limit :limit`,
})

/**
 * Restarts the plans of the deliveries of events to an endpoint, or queues them; returns how many. Without `:delivered`,
 * only those that failed.
 */
export const restartChosen = query('restart_chosen_deliveries', {
  parameters: { merchantId: uuid, endpointId: uuid, delivered: boolean, now: instant },
  rows: { position: bigint },
  row: { events: bigint },
  text: `with queued as (
      insert into deliveries (merchant_id, endpoint_id, position, payment_id, status, attempts, step, due_at, queued_at)
      select outbox.merchant_id, :endpointId, outbox.position, outbox.payment_id, 'pending', 0, 0, :now, :now
      from :rows join outbox on outbox.merchant_id = :merchantId and outbox.position = input.position
      on conflict (merchant_id, endpoint_id, position) do update
        set status = 'pending', step = 0, due_at = :now, queued_at = :now, finished_at = null,
          attempts_before = deliveries.attempts
        where deliveries.status = 'failed' or :delivered
      returning 1
    )
    select count(*) as events from queued`,
})

const turned = (column: string): string =>
  `case when ${column} > :now then greatest(:now, ${sooner(column)}) else ${column} end`

/** Turns the planned tries of a sandbox merchant, and the pauses of its endpoints, forward; returns how many tries. */
export const markDeliveriesTurned = query('turn_deliveries', {
  parameters: { merchantId: uuid, now: instant, byMs: bigint },
  row: { deliveries: integer },
  // Held lanes are checked again when they are given back.
  text: `with moved as (
      update deliveries set due_at = ${turned('due_at')}, planned_at = ${turned('planned_at')},
        not_before = ${turned('not_before')}
      where merchant_id = :merchantId and status = 'pending' and due_at > :now
      returning endpoint_id, due_at
    ), soonest as (
      select endpoint_id, count(*) as tries, min(due_at) as due_at from moved group by endpoint_id
    ), woken as (
      update delivery_lanes as lanes set wake_at = least(lanes.wake_at, soonest.due_at),
        paused_until = ${turned('lanes.paused_until')}
      from soonest where lanes.merchant_id = :merchantId and lanes.endpoint_id = soonest.endpoint_id
    )
    select coalesce(sum(tries), 0)::integer as deliveries from soonest`,
})

const deleteOld = `attempts as (
      delete from delivery_attempts using old where delivery_attempts.merchant_id = old.merchant_id
        and delivery_attempts.endpoint_id = old.endpoint_id and delivery_attempts.position = old.position
    ), gone as (
      delete from deliveries using old where deliveries.merchant_id = old.merchant_id
        and deliveries.endpoint_id = old.endpoint_id and deliveries.position = old.position
      returning 1
    )
    select count(*) as deleted from gone`

/** Deletes the deliveries that ended before a time, the oldest first, with their attempts. */
export const deleteFinished = query('delete_finished_deliveries', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  // The lock excludes a redelivery; a concurrent redelivery keeps its delivery, because locked rows are skipped.
  text: `with old as (
      select merchant_id, endpoint_id, position from deliveries where finished_at < :before
      order by finished_at limit :limit for update skip locked
    ), ${deleteOld}`,
})

/**
 * Deletes waiting deliveries of disabled and removed endpoints that were queued before a time, with their attempts; for
 * removed endpoints also those that were never tried.
 */
export const deleteWaiting = query('delete_waiting_deliveries', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  // Searches by lane: every endpoint with waiting deliveries has one.
  text: `with old as (
      select waiting.merchant_id, waiting.endpoint_id, waiting.position from delivery_lanes as lanes
      join notification_endpoints as endpoints on endpoints.merchant_id = lanes.merchant_id
        and endpoints.id = lanes.endpoint_id and endpoints.status <> 'enabled'
      cross join lateral (
        select merchant_id, endpoint_id, position from deliveries
        where deliveries.merchant_id = lanes.merchant_id and deliveries.endpoint_id = lanes.endpoint_id
          and deliveries.status = 'pending'
          and (deliveries.queued_at < :before or (endpoints.status = 'removed' and deliveries.attempts = 0))
        order by due_at, position limit :limit
      ) as waiting limit :limit
    ), ${deleteOld}`,
})

export const deleteLanes = query('delete_lanes', {
  parameters: { now: instant, limit: integer },
  row: { endpointId: uuid },
  // The lock excludes a lease; a lane that is being leased is skipped, and deleted after its holder has released it.
  text: `with done as (
      select lanes.merchant_id, lanes.endpoint_id from delivery_lanes as lanes
      join notification_endpoints as endpoints on endpoints.merchant_id = lanes.merchant_id
        and endpoints.id = lanes.endpoint_id and endpoints.status = 'removed'
      where (lanes.leased_until is null or lanes.leased_until <= :now) and not exists (
        select from deliveries where deliveries.merchant_id = lanes.merchant_id
          and deliveries.endpoint_id = lanes.endpoint_id and deliveries.status = 'pending')
      limit :limit for update of lanes skip locked
    )
    delete from delivery_lanes as lanes using done
    where lanes.merchant_id = done.merchant_id and lanes.endpoint_id = done.endpoint_id
    returning lanes.endpoint_id`,
})
