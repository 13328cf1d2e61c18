import { bigint, instant, integer, query, uuid } from '../../../database/query.ts'

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
  // The lock excludes a redelivery; one that is being made keeps its delivery, as locked rows are skipped.
  text: `with old as (
      select merchant_id, endpoint_id, position from deliveries where finished_at < :before
      order by finished_at limit :limit for update skip locked
    ), ${deleteOld}`,
})

/**
 * Deletes waiting deliveries of disabled and removed endpoints that were queued before a time, with their attempts; of
 * removed endpoints also those that were never tried.
 */
export const deleteWaiting = query('delete_waiting_deliveries', {
  parameters: { before: instant, limit: integer },
  row: { deleted: bigint },
  // It searches by lanes: every endpoint with waiting deliveries has one.
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

/** Deletes the lanes of removed endpoints that nobody holds and in which nothing waits. */
export const deleteLanes = query('delete_lanes', {
  parameters: { now: instant, limit: integer },
  row: { endpointId: uuid },
  // The lock excludes a lease; a lane that is being leased is skipped, and deleted once its holder has released it.
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
