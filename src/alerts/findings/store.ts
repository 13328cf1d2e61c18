import { bigint, instant, integer, jsonb, nullable, query, text, uuid, word } from '../../database/query.ts'
import type { DisabledReason } from '../../domain/endpoint.ts'
import type { PauseCause, PauseExplanation } from '../../domain/requisite-health.ts'

const parameters = { before: instant, limit: integer }

/** Money that has waited in the inbox since before a time, the oldest first. */
export const listWaitingMoney = query('list_waiting_money_for_alerts', {
  parameters,
  row: {
    requisiteId: uuid,
    transferId: uuid,
    openedAt: instant,
    amount: bigint,
    currency: text,
    senderMasked: text,
    numberMasked: text,
  },
  text: `select cases.requisite_id, cases.transfer_id, cases.opened_at, waiting.amount, transfers.currency,
      transfers.sender_masked, requisites.number_masked
    from suspense_cases as cases
    join requisites on requisites.id = cases.requisite_id and requisites.mode = 'live'
    join transfers on transfers.requisite_id = cases.requisite_id and transfers.id = cases.transfer_id
    cross join lateral (
      select sum(parts.amount)::bigint as amount from transfer_parts as parts
      where parts.requisite_id = cases.requisite_id and parts.transfer_id = cases.transfer_id
        and parts.kind = 'suspense' and parts.replaced_at is null
    ) as waiting
    where cases.resolved_at is null and cases.opened_at <= :before and waiting.amount is not null
    order by cases.opened_at limit :limit`,
})

/** Undecided disputes whose deadline is before a time, the nearest first. */
export const listDueDisputes = query('list_due_disputes_for_alerts', {
  parameters,
  row: {
    merchantId: uuid,
    id: uuid,
    merchant: text,
    orderId: text,
    amount: bigint,
    currency: text,
    openedAt: instant,
    dueAt: instant,
  },
  text: `select disputes.merchant_id, disputes.id, merchants.name as merchant, payments.order_id, disputes.amount,
      payments.currency, disputes.opened_at, disputes.due_at
    from disputes
    join merchants on merchants.id = disputes.merchant_id and merchants.mode = 'live'
    join payments on payments.merchant_id = disputes.merchant_id and payments.id = disputes.payment_id
    where disputes.decided_at is null and disputes.due_at <= :before order by disputes.due_at limit :limit`,
})

/** Endpoints that have failed since before a time, or were disabled because of that. */
export const listFailingEndpoints = query('list_failing_endpoints_for_alerts', {
  parameters,
  row: {
    merchantId: uuid,
    id: uuid,
    merchant: text,
    url: text,
    disabledReason: nullable(word<DisabledReason>()),
    since: instant,
  },
  text: `select endpoints.merchant_id, endpoints.id, merchants.name as merchant, endpoints.url,
      endpoints.disabled_reason, coalesce(endpoints.disabled_at, lanes.failing_since) as since
    from notification_endpoints as endpoints
    join merchants on merchants.id = endpoints.merchant_id and merchants.mode = 'live'
    left join delivery_lanes as lanes
      on lanes.merchant_id = endpoints.merchant_id and lanes.endpoint_id = endpoints.id
    where endpoints.disabled_reason in ('gone', 'failing')
      or (endpoints.status = 'enabled' and lanes.failing_since <= :before)
    order by endpoints.merchant_id, endpoints.id limit :limit`,
})

/** The latest rates of the active requisites' currencies, if set before a time or no longer valid. */
export const listStaleRates = query('list_stale_rates_for_alerts', {
  parameters: { before: instant, now: instant },
  row: { currency: text, price: bigint, source: text, createdAt: instant, validUntil: nullable(instant) },
  text: `select last.currency, last.price, last.source, last.created_at, last.valid_until
    from (select distinct currency from requisites where status = 'active') as used
    cross join lateral (
      select rates.currency, price, source, created_at, valid_until from rates
      where rates.currency = used.currency and quote = 'USDT' order by created_at desc limit 1
    ) as last
    where last.source <> 'demo' and (last.created_at <= :before or last.valid_until <= :now)`,
})

/** The rates in use, each with the price of a day before it was set, or the first one. */
export const listRateMoves = query('list_rate_moves_for_alerts', {
  row: { currency: text, price: bigint, source: text, createdAt: instant, before: bigint },
  text: `select last.currency, last.price, last.source, last.created_at, earlier.price as before
    from (select distinct currency from requisites where status = 'active') as used
    cross join lateral (
      select rates.currency, price, source, created_at from rates
      where rates.currency = used.currency and quote = 'USDT' order by created_at desc limit 1
    ) as last
    cross join lateral (
      select price from (
        (select price, created_at from rates where rates.currency = used.currency and quote = 'USDT'
            and source not in ('override', 'demo') and created_at <= last.created_at - interval '1 day'
          order by created_at desc limit 1)
        union all
        (select price, created_at from rates where rates.currency = used.currency and quote = 'USDT'
            and source not in ('override', 'demo') and created_at > last.created_at - interval '1 day'
          order by created_at limit 1)
      ) as nearest order by created_at limit 1
    ) as earlier
    where last.source <> 'demo'`,
})

/**
 * Of each live merchant's last payments whose time is over, how many were paid: those whose rate had risen by half a
 * percent by then, and the others.
 */
export const selectPaidShares = query('list_paid_shares', {
  parameters: { now: instant, leastId: uuid, limit: integer },
  row: {
    ...{ merchantId: uuid, merchant: text },
    ...{ favoured: integer, favouredPaid: integer, others: integer, othersPaid: integer },
  },
  text: `select merchants.id as merchant_id, merchants.name as merchant, counted.*
    from merchants cross join lateral (
      select count(*) filter (where is_favoured)::integer as favoured,
        count(*) filter (where is_favoured and is_paid)::integer as favoured_paid,
        count(*) filter (where not is_favoured)::integer as others,
        count(*) filter (where not is_favoured and is_paid)::integer as others_paid
      from (
        select status in ('paid', 'disput-paid') as is_paid, coalesce((
          select price from rates where rates.currency = payments.currency and quote = 'USDT'
            and rates.created_at <= payments.expired_at order by rates.created_at desc limit 1
        )::numeric * 200 >= rate_price::numeric * 201, false) as is_favoured
        from payments where merchant_id = merchants.id and id >= :leastId and expired_at <= :now and requisite_shown
          and status in ('paid', 'disput-paid', 'expired', 'canceled')
        order by merchant_id, id desc limit :limit
      ) as ended
    ) as counted
    where merchants.mode = 'live' and favoured + others > 0`,
})

/** Sources of rates whose price waits, or that have failed since before a time. */
export const listTroubledRateSources = query('list_troubled_rate_sources_for_alerts', {
  parameters: { before: instant },
  row: {
    id: uuid,
    currency: text,
    name: text,
    heldPrice: nullable(bigint),
    maxStepPpm: integer,
    lastPrice: nullable(bigint),
    lastError: nullable(text),
    since: instant,
  },
  text: `select sources.id, sources.currency, sources.name, sources.held_price, sources.max_step_ppm,
      (select price from rates where rates.currency = sources.currency and quote = 'USDT'
        and source <> 'demo' order by created_at desc limit 1) as last_price,
      sources.last_error, coalesce(sources.held_since, sources.failing_since) as since
    from rate_sources as sources
    where sources.removed_at is null and sources.enabled
      and (sources.held_price is not null or sources.failing_since <= :before) order by sources.id`,
})

/** Live requisites that are paused automatically. */
export const listPausedRequisites = query('list_paused_requisites_for_alerts', {
  parameters: { limit: integer },
  row: {
    requisiteId: uuid,
    numberMasked: text,
    currency: text,
    cause: word<PauseCause>(),
    explanation: jsonb<PauseExplanation>(),
    pausedAt: instant,
  },
  text: `select pauses.requisite_id, requisites.number_masked, requisites.currency, pauses.cause, pauses.explanation,
      pauses.paused_at
    from requisite_pauses as pauses
    join requisites on requisites.id = pauses.requisite_id and requisites.mode = 'live'
    where pauses.ended_at is null order by pauses.id limit :limit`,
})

/** Live merchants with credits that were not acknowledged before a time, and the oldest such payment of each. */
export const listOverdueAcknowledgements = query('list_overdue_acknowledgements_for_alerts', {
  parameters: { before: instant, limit: integer, counted: integer },
  row: {
    merchantId: uuid,
    merchant: text,
    payments: integer,
    since: instant,
    orderId: text,
    amount: bigint,
    currency: text,
  },
  // A merchant that never acknowledges has years of them: only some are counted.
  text: `select merchants.id as merchant_id, merchants.name as merchant, overdue.payments, overdue.since,
      overdue.order_id, overdue.amount, overdue.currency
    from merchants cross join lateral (
      select count(*)::integer as payments, min(changed_at) as since,
        (array_agg(order_id order by changed_at))[1] as order_id,
        (array_agg(coalesce(final_amount, amount) order by changed_at))[1] as amount,
        (array_agg(currency order by changed_at))[1] as currency
      from (
        select changed_at, order_id, final_amount, amount, currency from payments
        where payments.merchant_id = merchants.id and status in ('paid', 'disput-paid') and acknowledged_at is null
        order by payments.merchant_id, payments.id limit :counted
      ) as unacknowledged
      where changed_at <= :before
    ) as overdue
    where merchants.mode = 'live' and overdue.payments > 0 order by merchants.id limit :limit`,
})

/** Sources with live requisites in use that have sent nothing since before a time. */
export const listSilentSources = query('list_silent_sources_for_alerts', {
  parameters,
  row: { id: uuid, name: text, since: instant },
  text: `select sources.id, sources.name, heard.since
    from statement_sources as sources
    cross join lateral (
      select greatest(sources.created_at, sources.last_seen_at, max(statements.imported_at)) as since
      from statements where statements.source_id = sources.id and statements.state = 'imported'
    ) as heard
    where heard.since <= :before and exists (
      select from requisites where sources.requisite_ids ? requisites.id::text
        and requisites.status <> 'retired' and requisites.mode = 'live'
    )
    order by heard.since limit :limit`,
})

/** Live requisites in use, without a source, whose last statement was imported before a time. */
export const listSilentAccounts = query('list_silent_accounts_for_alerts', {
  parameters,
  row: { id: uuid, numberMasked: text, currency: text, since: instant },
  text: `select requisites.id, requisites.number_masked, requisites.currency, last.since
    from (
      select account.value ->> 'requisiteId' as requisite_id, max(statements.imported_at) as since
      from statements cross join lateral jsonb_array_elements(statements.accounts) as account
      where statements.state = 'imported' group by account.value ->> 'requisiteId'
    ) as last
    join requisites on requisites.id::text = last.requisite_id and requisites.status <> 'retired'
      and requisites.mode = 'live'
    where last.since <= :before
      and not exists (select from statement_sources as sources where sources.requisite_ids ? requisites.id::text)
    order by last.since limit :limit`,
})

/** Live requisites in use, by their ids. */
export const listNamedRequisites = query('list_named_requisites_for_alerts', {
  row: { id: uuid, numberMasked: text },
  text: `select id, number_masked from requisites where status <> 'retired' and mode = 'live'`,
})
