import { bigint, boolean, columnsOf, instant, integer, nullable, query, text, uuid, word } from 'payin-database'
import { downAfterFailures } from '../../../../rules/notices/delivery.ts'
import type { MerchantMode } from '../../../../rules/merchants/merchant.ts'
import type { NotificationPlay } from '../../../../rules/sandbox/simulation.ts'

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

const targetColumns = `endpoints.url, endpoints.status = 'enabled' as enabled,
      endpoints.secret_sealed, endpoints.previous_secret_sealed, endpoints.previous_secret_until, merchants.mode`
const joinTarget = (
  lane: string,
): string => `join notification_endpoints as endpoints on endpoints.merchant_id = ${lane}.merchant_id
      and endpoints.id = ${lane}.endpoint_id
    join merchants on merchants.id = ${lane}.merchant_id`

/** Columns of a lane that its holder maintains. */
const failing = {
  failures: integer,
  failingSince: nullable(instant),
  lastFailedAt: nullable(instant),
  forwardSince: nullable(instant),
}
const failingColumns = columnsOf(failing)

// The conditions of the two indexes of free lanes.
const isUp = `lanes.failures < ${downAfterFailures}`
const isDown = `lanes.failures >= ${downAfterFailures}`

/** The free lanes that have been due the longest, locked until their lease is written; those already locked are skipped. */
const freeLanes = (condition: string, limit: string): string => `select lanes.merchant_id, lanes.endpoint_id,
    lanes.asked_at is not null as is_requested
  from delivery_lanes as lanes
  join notification_endpoints as endpoints on endpoints.merchant_id = lanes.merchant_id
    and endpoints.id = lanes.endpoint_id and endpoints.status = 'enabled' and endpoints.listening_until is null
  where lanes.leased_until is null and ${condition} and lanes.wake_at <= :now and lanes.paused_until <= :now
  order by lanes.wake_at limit ${limit} for update of lanes skip locked`

/**
 * Leases free lanes in which something may be due to a worker: up to `limit` that are not down, and `downLimit` that
 * are. Frees lanes whose lease has run out, for the next call to lease.
 */
export const leaseLanes = query('lease_lanes', {
  parameters: { now: instant, leaseMs: integer, worker: uuid, limit: integer, downLimit: integer },
  // Whether somebody requests an immediate attempt.
  row: { ...target, ...failing, isRequested: boolean },
  // Leases use the clock of the database, because those of the nodes differ.
  text: `with ended as (
      select merchant_id, endpoint_id from delivery_lanes where leased_until <= statement_timestamp()
      order by leased_until limit 1000 for update skip locked
    ), freed as (
      update delivery_lanes as lanes set leased_by = null, leased_until = null,
        wake_at = greatest(:now, lanes.paused_until) from ended
      where lanes.merchant_id = ended.merchant_id and lanes.endpoint_id = ended.endpoint_id
    ), up as (${freeLanes(isUp, ':limit')}), down as (
      ${freeLanes(isDown, ':downLimit')}
    ), due as (select * from up union all select * from down), taken as (
      update delivery_lanes as lanes set leased_by = :worker, wake_at = null, asked_at = null,
        leased_until = statement_timestamp() + :leaseMs * interval '1 millisecond' from due
      where lanes.merchant_id = due.merchant_id and lanes.endpoint_id = due.endpoint_id
      returning lanes.merchant_id, lanes.endpoint_id, ${columnsOf(failing, 'lanes')}, due.is_requested
    )
    select taken.merchant_id, taken.endpoint_id, ${targetColumns}, ${failingColumns}, taken.is_requested
    from taken ${joinTarget('taken')}`,
})

/**
 * Wakes free lanes that wait by a clock that was ahead: their last failure is after `latest`, or they wait for later than
 * that without a failure since `failedBefore`. They count as restarted.
 */
export const restartAheadLanes = query('restart_ahead_lanes', {
  parameters: { now: instant, latest: instant, failedBefore: instant },
  row: { endpointId: uuid },
  text: `update delivery_lanes set wake_at = :now, paused_until = :now, forward_since = :now, failures = 0,
      failing_since = null, last_failed_at = null
    where leased_until is null and wake_at is not null and (greatest(failing_since, last_failed_at) > :latest
      or (wake_at > :latest and (last_failed_at is null or last_failed_at < :failedBefore)))
    returning endpoint_id`,
})

const health = { merchantId: uuid, endpointId: uuid, ...failing, pausedUntil: instant }
const written = `(${failingColumns}) = (${columnsOf(failing, 'mine')})`

/** Locks the lanes of the input that the worker holds, in the order in which new deliveries lock them to wake them. */
const lockedHealth = `select input.* from :rows
    join delivery_lanes as lanes on lanes.merchant_id = input.merchant_id and lanes.endpoint_id = input.endpoint_id
      and lanes.leased_by = :worker
    order by lanes.merchant_id, lanes.endpoint_id for update of lanes`

/** Renews a worker's leases and writes the health of its lanes; returns those that it still holds, with targets. */
export const renewLanes = query('renew_lanes', {
  parameters: { leaseMs: integer, worker: uuid },
  rows: health,
  row: target,
  text: `with mine as (${lockedHealth}), kept as (
      update delivery_lanes as lanes set leased_until = statement_timestamp() + :leaseMs * interval '1 millisecond',
        ${written}, paused_until = mine.paused_until
      from mine where lanes.merchant_id = mine.merchant_id and lanes.endpoint_id = mine.endpoint_id
      returning lanes.merchant_id, lanes.endpoint_id
    )
    select kept.merchant_id, kept.endpoint_id, ${targetColumns}
    from kept ${joinTarget('kept')}`,
})

/**
 * Whether no earlier delivery of the same payment still waits at the same endpoint; deliveries that the sandbox plays
 * out of order neither wait nor hold up others. The subquery walks along the few events of the payment, and looks each up
 * by its whole key, whatever the statistics say.
 */
const isHead = `(deliveries.payment_id is null or deliveries.play is not distinct from 'twice-out-of-order'
  or not exists (
    select from outbox as its cross join lateral (
      select earlier.status, earlier.play from deliveries as earlier where earlier.merchant_id = deliveries.merchant_id
        and earlier.endpoint_id = deliveries.endpoint_id and earlier.position = its.position offset 0) as earlier
    where its.payment_id = deliveries.payment_id and its.position < deliveries.position
      and its.merchant_id = deliveries.merchant_id and earlier.status = 'pending'
      and earlier.play is distinct from 'twice-out-of-order'))`

/** The first delivery that meets `condition` and does not wait for another, among the 500 that are due first. */
const firstHead = (condition: string): string => `select deliveries.due_at from (
    select * from deliveries where deliveries.merchant_id = mine.merchant_id
      and deliveries.endpoint_id = mine.endpoint_id and deliveries.status = 'pending' and ${condition}
    order by deliveries.due_at, deliveries.position limit 500
  ) as deliveries where ${isHead} order by deliveries.due_at, deliveries.position limit 1`

/** Gives lanes back, with their health and the time at which each has something to do next. */
export const releaseLanes = query('release_lanes', {
  parameters: { worker: uuid, now: instant },
  rows: health,
  // A delivery queued since the last fetch has set wake_at by its own commit: the earlier of both times counts. If all
  // 500 wait for others, the next fetch finds more than a longer search would.
  text: `with mine as (${lockedHealth})
    update delivery_lanes as lanes set leased_by = null, leased_until = null, ${written},
      -- Somebody has asked meanwhile: the pause is over.
      paused_until = case when lanes.asked_at is null then mine.paused_until else :now end,
      wake_at = least(lanes.wake_at, case when next.due_at > mine.paused_until then next.due_at
        when next.due_at is not null then mine.paused_until end)
    from mine left join lateral (
      select coalesce((${firstHead('true')}), least((${firstHead('deliveries.due_at > :now')}), (
        select :now + interval '1 minute' from deliveries where deliveries.merchant_id = mine.merchant_id
          and deliveries.endpoint_id = mine.endpoint_id and deliveries.status = 'pending' limit 1
      ))) as due_at
    ) as next on true
    where lanes.merchant_id = mine.merchant_id and lanes.endpoint_id = mine.endpoint_id`,
})

const dueRow = {
  endpointId: uuid,
  position: bigint,
  dueAt: instant,
  attempts: integer,
  attemptsBefore: integer,
  step: integer,
  plannedAt: nullable(instant),
  queuedAt: instant,
  play: nullable(word<NotificationPlay>()),
}

/**
 * What is due in lanes after a position, in order, up to a limit for each; deliveries that wait for an earlier one of
 * their payment come without a body.
 */
export const listDue = query('list_due_deliveries', {
  parameters: { now: instant },
  rows: { merchantId: uuid, endpointId: uuid, afterDueAt: instant, afterPosition: bigint, size: integer },
  row: { ...dueRow, eventId: nullable(uuid), body: nullable(text) },
  text: `select due.endpoint_id, due.position, due.due_at, due.attempts, due.attempts_before, due.step,
      due.planned_at, due.queued_at, due.play, outbox.id as event_id, outbox.body
    from :rows
    cross join lateral (
      select merchant_id, endpoint_id, position, attempts, attempts_before, step, play, due_at, planned_at, queued_at,
        ${isHead} as is_head
      from deliveries where deliveries.merchant_id = input.merchant_id and deliveries.endpoint_id = input.endpoint_id
        and deliveries.status = 'pending' and deliveries.due_at <= :now
        and (deliveries.due_at, deliveries.position) > (input.after_due_at, input.after_position)
      order by due_at, position limit input.size
    ) as due
    left join outbox on due.is_head and outbox.merchant_id = due.merchant_id and outbox.position = due.position
    order by due.due_at, due.position`,
})

/** For each lane, the newest delivery that was never tried in its plan and waits for no other, among the newest 500. */
export const listNewest = query('list_newest_deliveries', {
  parameters: { now: instant },
  rows: { merchantId: uuid, endpointId: uuid },
  row: { ...dueRow, eventId: uuid, body: text },
  text: `select newest.*, outbox.id as event_id, outbox.body
    from :rows
    cross join lateral (
      select endpoint_id, position, due_at, attempts, attempts_before, step, planned_at, queued_at, play from (
        select * from deliveries where deliveries.merchant_id = input.merchant_id
          and deliveries.endpoint_id = input.endpoint_id and deliveries.status = 'pending' and deliveries.due_at <= :now
        order by deliveries.due_at desc, deliveries.position desc limit 500
      ) as deliveries where attempts = attempts_before and ${isHead} order by due_at desc, position desc limit 1
    ) as newest
    join outbox on outbox.merchant_id = input.merchant_id and outbox.position = newest.position`,
})

/** Wakes a lane, even a paused one: the next fetch takes the newest first. */
export const wakeLane = query('wake_lane', {
  parameters: { merchantId: uuid, endpointId: uuid, now: instant },
  text: `insert into delivery_lanes (merchant_id, endpoint_id, wake_at, asked_at)
      values (:merchantId, :endpointId, :now, :now)
    on conflict (merchant_id, endpoint_id) do update
      set asked_at = excluded.asked_at, wake_at = least(coalesce(delivery_lanes.wake_at, excluded.wake_at), excluded.wake_at),
        paused_until = least(delivery_lanes.paused_until, excluded.wake_at)`,
})
