import { type Invariant, invariant } from '../invariant.ts'
import { lookUp } from '../changed/narrow.ts'
import { takesCreditBack } from '../../money-sql.ts'
import { paymentStatuses } from '../../../rules/payments/payment.ts'

// The merchant gets a new payment in the answer to its request.
const statusKinds = paymentStatuses.flatMap((status) => (status === 'new' ? [] : [`'payment.${status}'`])).join(', ')

/** The positions after the verified ones. */
const changedPositions = `select merchant_id::text from event_counters as counters
      full join verified_positions as verified using (merchant_id)
      cross join lateral (
        -- The limit is one more than there may be; with it, they are read along the index, whatever the statistics say.
        select count(*) as events, min(position) as first, max(position) as last from (
          select position from outbox where outbox.merchant_id = coalesce(counters.merchant_id, verified.merchant_id)
            and outbox.position > coalesce(verified.position, 0)
          order by outbox.position
          limit greatest(coalesce(counters.position, 0) - coalesce(verified.position, 0), 0) + 1) as news
      ) as numbered
      where counters.position is null or coalesce(verified.position, 0) + numbered.events <> counters.position
        or (numbered.events > 0 and (numbered.first, numbered.last)
          is distinct from (coalesce(verified.position, 0) + 1, counters.position))
      union all
      select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, position,
          lag(position) over (partition by merchant_id, payment_id order by sequence, position) as former
        from (${lookUp('outbox', 'changed_payments', 'outbox.payment_id = changed_payments.payment_id')}
          where outbox.merchant_id = changed_payments.merchant_id) as its
      ) as steps where former > position`

/** The invariants of notifications (docs/domain.md §12); zero rows is healthy. */
export const notificationInvariants: readonly Invariant[] = [
  invariant(
    'events-in-outbox-once',
    'Each change of a payment, change of a refund, change of a settlement and credit that a bank took back is in the outbox once, and no other is.',
    `select concat_ws(' ', merchant_id, id, sequence) from (
        select merchant_id, payment_id as id, sequence, 'payment.' || status as kind, 1 as missing
        from payment_events where status <> 'new'
        union all select merchant_id, settlement_id, sequence, 'settlement.' || status, 1 from settlement_events
        where status not in ('requested', 'draft')
        union all select merchant_id, payment_id, null, 'payment.reversed', 1 from ledger_postings
        where ${takesCreditBack} group by merchant_id, payment_id, transaction_id
        union all select merchant_id, refund_id, sequence, 'refund.' || status, 1 from refund_events
        where status <> 'requested'
        union all select merchant_id, coalesce(payment_id, document_id),
          case when kind <> 'payment.reversed' then sequence end, kind, -1
        from outbox where kind in (${statusKinds}, 'payment.reversed') or kind like 'refund.%' or kind like 'settlement.%'
      ) as changes group by merchant_id, id, sequence, kind having sum(missing) <> 0`,
  ),
  invariant(
    'event-positions-gapless',
    "The positions of a merchant's events run from 1 to the last one without gaps, and those of a payment in its order.",
    `select merchant_id::text from (
        select merchant_id, count(*) as events, min(position) as first, max(position) as last from outbox
        group by merchant_id
      ) as numbered full join event_counters as counters using (merchant_id)
      where (numbered.first, numbered.events, numbered.last) is distinct from (1, counters.position, counters.position)
      union all
      select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, position,
          lag(position) over (partition by merchant_id, payment_id order by sequence, position) as former
        from outbox where payment_id is not null
      ) as steps where former > position`,
    { by: changedPositions },
  ),
  invariant(
    'events-queued-once',
    'Each recent event up to the last queued one is queued for exactly the endpoints that subscribe to it.',
    `select concat_ws(' ', outbox.merchant_id, endpoints.id, outbox.position) from outbox
      join queued_notifications as queued on queued.merchant_id = outbox.merchant_id and queued.position >= outbox.position
      join notification_endpoints as endpoints on endpoints.merchant_id = outbox.merchant_id
        and endpoints.status = 'enabled' and endpoints.queued_after < outbox.position
        and (outbox.endpoint_id is null or outbox.endpoint_id = endpoints.id)
        and (outbox.endpoint_id is not null or endpoints.kinds = '[]' or jsonb_exists(endpoints.kinds, outbox.kind))
      left join deliveries on deliveries.merchant_id = outbox.merchant_id and deliveries.endpoint_id = endpoints.id
        and deliveries.position = outbox.position
      where outbox.created_at > :now - interval '6 days' and deliveries.position is null
      union all
      select concat_ws(' ', deliveries.merchant_id, deliveries.endpoint_id, deliveries.position) from deliveries
      left join outbox on outbox.merchant_id = deliveries.merchant_id and outbox.position = deliveries.position
      left join notification_endpoints as endpoints on endpoints.merchant_id = deliveries.merchant_id
        and endpoints.id = deliveries.endpoint_id
      where outbox.id is null or endpoints.id is null or outbox.payment_id is distinct from deliveries.payment_id
        or outbox.endpoint_id <> deliveries.endpoint_id
      union all
      -- What follows would never be queued.
      select queued.merchant_id::text from queued_notifications as queued
      left join event_counters as counters on counters.merchant_id = queued.merchant_id
      where queued.position > coalesce(counters.position, 0)`,
  ),
  invariant(
    'deliveries-follow-attempts',
    'A delivery has as many attempts as its log, and is delivered by one that was answered with 2xx.',
    `select concat_ws(' ', deliveries.merchant_id, deliveries.endpoint_id, deliveries.position) from deliveries left join (
        select merchant_id, endpoint_id, position, count(*) as logged, max(attempt) as last,
          bool_or(status between 200 and 299) as taken from delivery_attempts group by merchant_id, endpoint_id, position
      ) as log using (merchant_id, endpoint_id, position)
      where (coalesce(log.logged, 0), coalesce(log.last, 0)) is distinct from (deliveries.attempts, deliveries.attempts)
        or (deliveries.status = 'delivered' and log.taken is distinct from true)`,
  ),
  invariant(
    'first-attempts-in-order',
    'An endpoint gets the events of a payment in order: no first attempt before that of the previous event.',
    `select concat_ws(' ', merchant_id, endpoint_id, position) from (
        select deliveries.merchant_id, deliveries.endpoint_id, deliveries.position, deliveries.queued_at, log.at,
          lag(log.at) over chain as former, lag(deliveries.queued_at) over chain as former_queued_at
        from deliveries join delivery_attempts as log using (merchant_id, endpoint_id, position)
        join payments on payments.merchant_id = deliveries.merchant_id and payments.id = deliveries.payment_id
        join merchants on merchants.id = deliveries.merchant_id
        where log.attempt = 1 and not (merchants.mode = 'sandbox' and payments.amount % 100 = 8)
        window chain as (
          partition by deliveries.merchant_id, deliveries.endpoint_id, deliveries.payment_id order by deliveries.position)
        -- What is redelivered is queued again after its first attempt, and what was missed is queued after later events. One
        -- instant does not say which of both came first.
      ) as firsts where at < former and queued_at >= former_queued_at and at >= queued_at and at > former_queued_at`,
  ),
  invariant(
    'waiting-lanes-wake',
    'An endpoint with pending deliveries is being served or will wake.',
    `select distinct concat_ws(' ', deliveries.merchant_id, deliveries.endpoint_id) from deliveries
      left join delivery_lanes as lanes using (merchant_id, endpoint_id)
      where deliveries.status = 'pending' and lanes.wake_at is null and lanes.leased_until is null`,
    { whole: ['deliveries'] },
  ),
]
