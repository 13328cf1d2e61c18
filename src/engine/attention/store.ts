import { bigint, boolean, instant, integer, jsonb, nullable, query, text, uuid, word } from 'payin-database'
import type { AlertRuleName } from '../../rules/notices/alert.ts'
import type { DisabledReason } from '../../rules/notices/endpoint.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import type { PauseCause, PauseExplanation } from '../../rules/requisites/requisite-health.ts'
import type { Age, AgedKind, MeasuredKind } from '../../rules/notices/waiting.ts'

/** Undecided disputes of a mode. */
const disputes = `select disputes.merchant_id, disputes.id, merchants.name as merchant, payments.order_id,
      payments.currency, disputes.amount, disputes.opened_at as since, disputes.due_at, correction_by
    from disputes
    join merchants on merchants.id = disputes.merchant_id and merchants.mode = :mode
    join payments on payments.merchant_id = disputes.merchant_id and payments.id = disputes.payment_id
    where disputes.decided_at is null`

/** Endpoints of a mode that fail, or were disabled because of that. */
const endpoints = `select endpoints.merchant_id, endpoints.id, merchants.name as merchant, endpoints.url,
      endpoints.disabled_reason, coalesce(endpoints.disabled_at, lanes.failing_since) as since
    from notification_endpoints as endpoints
    join merchants on merchants.id = endpoints.merchant_id and merchants.mode = :mode
    left join delivery_lanes as lanes
      on lanes.merchant_id = endpoints.merchant_id and lanes.endpoint_id = endpoints.id
    where endpoints.disabled_reason in ('gone', 'failing')
      or (endpoints.status = 'enabled' and lanes.failing_since is not null)`

/** Automatic pauses of the requisites of a mode that last. */
const pauses = `select pauses.id, requisite_id, requisites.number_masked, requisites.currency, pauses.cause,
      pauses.explanation, pauses.paused_at as since
    from requisite_pauses as pauses join requisites on requisites.id = requisite_id and requisites.mode = :mode
    where pauses.ended_at is null`

/** Messages of banks that wait for a person, or whose balance nobody has confirmed. */
const openMessages = `select messages.id, phones.name as phone, messages.bank, messages.kind, messages.state, messages.gap,
      messages.currency, messages.received_at as since, requisites.number_masked, requisites.mode
    from phone_messages as messages join phones on phones.id = messages.phone_id
    left join requisites on requisites.id = messages.requisite_id
    where messages.is_open`

/** A payment that waits for its merchant's acknowledgement; the index of these payments has the same condition. */
const isUnacknowledged = `status in ('paid', 'disput-paid') and acknowledged_at is null`

/**
 * What waits of a mode, by kind and currency, along indexes of waiting rows only. Statements of unknown accounts are
 * live. Rates are in memory.
 */
export const listWaiting = query('list_waiting', {
  planned: 'each-time',
  parameters: { mode: word<MerchantMode>(), serviceBook: uuid },
  row: {
    kind: word<MeasuredKind>(),
    currency: nullable(text),
    count: integer,
    amount: nullable(bigint),
    /** When the oldest item began to wait. */
    since: nullable(instant),
    /** The next deadline. */
    dueAt: nullable(instant),
  },
  // The inbox is counted in an index that knows no duplicates: they are subtracted.
  text: `with owners as (select id from merchants where mode = :mode),
      pool as (select id, currency from requisites where mode = :mode)
    select kind, currency, sum(count)::integer as count, sum(amount)::bigint as amount, min(since) as since,
      min(due_at) as due_at
    from (
      (select 'transfers' as kind, pool.currency, sum(waiting.count) as count, sum(waiting.amount) as amount,
          (select min(opened_at) from suspense_cases join pool on pool.id = requisite_id where resolved_at is null) as since,
          null::timestamptz as due_at
        from (select requisite_id, count(*) as count, sum(amount) as amount from transfer_parts
          where kind = 'suspense' and replaced_at is null group by requisite_id) as waiting
        join pool on pool.id = waiting.requisite_id group by pool.currency)
      union all
      (select counted.kind, transfers.currency, sign, sign * parts.amount, case sign when 1 then cases.opened_at end, null
        from transfers
        join pool on pool.id = transfers.requisite_id
        join suspense_cases as cases on cases.requisite_id = transfers.requisite_id
          and cases.transfer_id = transfers.id and cases.resolved_at is null
        join transfer_parts as parts on parts.requisite_id = cases.requisite_id
          and parts.transfer_id = cases.transfer_id and parts.kind = 'suspense' and parts.replaced_at is null
        cross join (values ('possible-duplicates', 1), ('transfers', -1)) as counted (kind, sign)
        where transfers.duplicate_of is not null)
      union all
      (select 'unproven', transfers.currency, 1, credited.amount, transfers.recorded_at, null from transfers
        join pool on pool.id = transfers.requisite_id
        cross join lateral (select sum(parts.amount - parts.reversed_amount) as amount from transfer_parts as parts
          where parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
            and parts.kind in ('payment', 'overpayment') and parts.replaced_at is null) as credited
        where transfers.unproven and credited.amount > 0)
      union all
      (select 'reversals', currency, 1, amount, recorded_at, null from transfer_reversals
        where requisite_id in (select id from pool) and transfer_id is null and resolved_at is null)
      union all
      (select 'outgoing', currency, 1, amount, booked_at, null from outgoing_transfers
        where requisite_id in (select id from pool) and state = 'unexplained')
      union all
      (select 'overpayments', currency, 1, -balance, null, null from ledger_balances
        where merchant_id in (select id from owners) and account like 'overpayment:%' and balance < 0)
      union all
      (select case when correction_by is null then 'disputes' else 'corrections' end, currency, 1, amount, since, due_at
        from (${disputes}) as disputes)
      union all
      (select case status when 'requested' then 'settlements-requested' when 'draft' then 'settlements-to-approve'
          else 'settlements-to-pay' end, currency, 1, amount,
          created_at, null
        from settlements where merchant_id in (select id from owners) and status in ('requested', 'draft', 'approved'))
      union all
      (select case when status = 'requested' then 'refunds-to-approve' when failing_by is not null then 'refunds-to-fail'
          else 'refunds-to-send' end, currency, 1, amount, created_at, null
        from refunds where merchant_id in (select id from owners)
          and status in ('requested', 'approved', 'sent') and (status <> 'sent' or failing_by is not null))
      union all
      (select 'destinations-to-approve', null, 1, null, proposed_at, null from destinations
        where merchant_id in (select id from owners) and approved_by is null and retired_at is null)
      union all
      (select 'adjustments', currency, 1, amount, created_at, null from ledger_adjustments
        where (merchant_id = :serviceBook or merchant_id in (select id from owners)) and status = 'draft')
      union all
      (select 'statements', null, 1, null, uploaded_at, null from statements
        cross join lateral (select array_agg(requisites.mode) as modes from jsonb_array_elements(accounts) as account
          join requisites on requisites.id = (account.value ->> 'requisiteId')::uuid) as bound
        where state = 'ready' and :mode = any (coalesce(bound.modes, array['live'])))
      union all
      (select 'phone-messages', null, 1, null, since, null from (${openMessages}) as messages
        where coalesce(messages.mode, 'live') = :mode)
      union all
      (select 'unacknowledged', null, count(*), null, (select min(first.created_at) from owners cross join lateral (
            select created_at from payments where payments.merchant_id = owners.id
              and ${isUnacknowledged}
            order by payments.merchant_id, id limit 1) as first), null
        from payments where merchant_id in (select id from owners)
          and ${isUnacknowledged})
      union all
      (select 'part-paid', currency, 1, received, changed_at, null from payments
        where merchant_id in (select id from owners) and status = 'processing' and received > 0)
      union all
      (select 'paused-requisites', null, 1, null, since, null from (${pauses}) as pauses)
      union all
      (select 'crediting-held', null, 1, null, (crediting_held ->> 'since')::timestamptz, null
        from requisites where mode = :mode and crediting_held is not null)
      union all
      (select 'troubled-endpoints', null, 1, null, since, null from (${endpoints}) as endpoints)
    ) as waiting
    group by kind, currency having sum(count) > 0`,
})

/** The money of a mode that nobody has decided about, by what it is, its currency, and how long ago its bank booked it. */
export const listAges = query('list_ages', {
  planned: 'each-time',
  parameters: { mode: word<MerchantMode>(), now: instant },
  row: { kind: word<AgedKind>(), currency: text, age: word<Age>(), count: integer, amount: bigint },
  text: `select kind, currency, age, count(*)::integer as count, sum(amount)::bigint as amount
    from (
      select 'transfers' as kind, transfers.currency, parts.amount, transfers.booked_at
        from transfer_parts as parts
        join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
        join requisites on requisites.id = parts.requisite_id and requisites.mode = :mode
        where parts.kind = 'suspense' and parts.replaced_at is null
      union all
      select 'overpayments', owed.currency, -owed.balance, coalesce(came.booked_at, payments.changed_at)
        from ledger_balances as owed
        join merchants on merchants.id = owed.merchant_id and merchants.mode = :mode
        join payments on payments.merchant_id = owed.merchant_id
          and payments.id = substr(owed.account, length('overpayment:') + 1)::uuid
        cross join lateral (select max(transfers.booked_at) as booked_at from transfer_parts as parts
          join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
          where parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id
            and parts.kind = 'overpayment' and parts.replaced_at is null) as came
        where owed.account like 'overpayment:%' and owed.balance < 0
      union all
      select 'outgoing', outgoing.currency, outgoing.amount, outgoing.booked_at
        from outgoing_transfers as outgoing
        join requisites on requisites.id = outgoing.requisite_id and requisites.mode = :mode
        where outgoing.state = 'unexplained'
    ) as waiting
    cross join lateral (select case when booked_at > :now - interval '1 day' then 'day'
      when booked_at > :now - interval '7 days' then 'week'
      when booked_at > :now - interval '30 days' then 'month' else 'older' end as age) as aged
    group by kind, currency, age order by kind, currency, max(booked_at) desc`,
})

/** Open incidents by rule (broken invariants separately), and when each rule was last checked. */
export const listOpenChecks = query('list_open_checks', {
  row: {
    rule: word<AlertRuleName>(),
    /** For the rule `invariant-broken`. */
    subject: nullable(text),
    open: integer,
    checkedAt: instant,
  },
  text: `select rules.name as rule, incidents.subject, coalesce(incidents.open, 0) as open, rules.checked_at
    from alert_rules as rules left join (
      select rule, case when rule = 'invariant-broken' then subject end as subject, count(*)::integer as open
      from alert_incidents where closed_at is null group by 1, 2) as incidents on incidents.rule = rules.name`,
})

const parameters = { mode: word<MerchantMode>(), before: instant, limit: integer }

export const listInbox = query('list_waiting_inbox', {
  parameters,
  row: { since: instant, amount: bigint, currency: text, senderMasked: text, numberMasked: text },
  text: `select cases.opened_at as since, waiting.amount, transfers.currency,
      transfers.sender_masked, requisites.number_masked
    from suspense_cases as cases
    join requisites on requisites.id = cases.requisite_id and requisites.mode = :mode
    join transfers on transfers.requisite_id = cases.requisite_id and transfers.id = cases.transfer_id
    cross join lateral (
      select sum(parts.amount)::bigint as amount from transfer_parts as parts
      where parts.requisite_id = cases.requisite_id and parts.transfer_id = cases.transfer_id
        and parts.kind = 'suspense' and parts.replaced_at is null
    ) as waiting
    where cases.resolved_at is null and cases.opened_at <= :before and waiting.amount is not null
    order by cases.opened_at limit :limit`,
})

export const listDisputes = query('list_waiting_disputes', {
  parameters,
  row: {
    merchantId: uuid,
    id: uuid,
    merchant: text,
    orderId: text,
    amount: bigint,
    currency: text,
    since: instant,
    dueAt: instant,
  },
  text: `select :row from (${disputes}) as disputes where due_at <= :before order by due_at limit :limit`,
})

export const listEndpoints = query('list_waiting_endpoints', {
  parameters,
  row: { id: uuid, merchant: text, url: text, disabledReason: nullable(word<DisabledReason>()), since: instant },
  text: `select :row from (${endpoints}) as endpoints where disabled_reason is not null or since <= :before
    order by merchant_id, id limit :limit`,
})

export const listPauses = query('list_waiting_pauses', {
  parameters,
  row: {
    requisiteId: uuid,
    numberMasked: text,
    currency: text,
    cause: word<PauseCause>(),
    explanation: jsonb<PauseExplanation>(),
    since: instant,
  },
  text: `select :row from (${pauses}) as pauses where since <= :before order by id limit :limit`,
})

/** Most unacknowledged payments that are counted per merchant: one that never acknowledges has years of them. */
export const mostCounted = 1000

/** Merchants with credits that were not acknowledged before a time, and the oldest such payment of each. */
export const listUnacknowledged = query('list_waiting_acknowledgements', {
  parameters,
  row: {
    merchantId: uuid,
    merchant: text,
    payments: integer,
    since: instant,
    orderId: text,
    amount: bigint,
    currency: text,
  },
  text: `select merchants.id as merchant_id, merchants.name as merchant, overdue.payments, overdue.since,
      overdue.order_id, overdue.amount, overdue.currency
    from merchants cross join lateral (
      select count(*)::integer as payments, min(changed_at) as since,
        (array_agg(order_id order by changed_at))[1] as order_id,
        (array_agg(coalesce(final_amount, amount) order by changed_at))[1] as amount,
        (array_agg(currency order by changed_at))[1] as currency
      from (
        select changed_at, order_id, final_amount, amount, currency from payments
        where payments.merchant_id = merchants.id and ${isUnacknowledged}
        order by payments.merchant_id, payments.id limit ${mostCounted}
      ) as unacknowledged
      where changed_at <= :before
    ) as overdue
    where merchants.mode = :mode and overdue.payments > 0 order by merchants.id limit :limit`,
})

/**
 * Of each live merchant's last payments whose time is over, how many were paid: those whose rate had risen by half a
 * percent by then, and the others.
 */
export const selectPaidShares = query('list_paid_shares', {
  parameters: { now: instant, leastId: uuid, limit: integer },
  row: {
    merchantId: uuid,
    merchant: text,
    favoured: integer,
    favouredPaid: integer,
    others: integer,
    othersPaid: integer,
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
          and quote_currency = 'USDT'
          and status in ('paid', 'disput-paid', 'expired', 'canceled')
        order by merchant_id, id desc limit :limit
      ) as ended
    ) as counted
    where merchants.mode = 'live' and favoured + others > 0`,
})

export const listSilentSources = query('list_silent_sources', {
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
        and requisites.status <> 'retired' and requisites.mode = :mode
    )
    order by heard.since limit :limit`,
})

/** Places that cannot be read, and files that were picked up and wait, or were not taken since a time. */
export const listWaitingPickups = query('list_waiting_pickups', {
  planned: 'each-time',
  parameters: { before: instant, notTakenSince: instant, limit: integer },
  row: { id: uuid, source: text, file: nullable(text), problem: text, since: instant },
  text: `select id, source, file, problem, since from (
      select id, name as source, null as file, pickup_problem as problem, pickup_failing_since as since
        from statement_sources where pickup_problem is not null
      union all
      select files.id, sources.name, files.name, files.problem, files.picked_at
        from picked_files as files
        join statement_sources as sources on sources.id = files.source_id
        left join statements on statements.id = files.statement_id
        where files.problem is not null and (statements.state in ('ready', 'refused')
          or (files.statement_id is null and files.picked_at > :notTakenSince))
    ) as waiting where since <= :before order by since limit :limit`,
})

/** Reports by e-mail that wait for another attempt since a time, or that have failed lately. */
export const listUnsentReports = query('list_unsent_reports', {
  parameters: { ...parameters, failedSince: instant },
  row: { merchantId: uuid, merchant: text, period: text, isFailed: boolean, error: text, since: instant },
  text: `select mails.merchant_id, merchants.name as merchant, mails.period, mails.state = 'failed' as is_failed,
      coalesce(mails.last_error, '') as error, mails.created_at as since
    from report_mails as mails join merchants on merchants.id = mails.merchant_id
    where merchants.mode = :mode and mails.created_at <= :before
      and (mails.state = 'pending' and mails.attempts > 0 or mails.state = 'failed' and mails.finished_at > :failedSince)
    order by mails.created_at, mails.merchant_id limit :limit`,
})

export const listSilentAccounts = query('list_silent_accounts', {
  parameters,
  row: { id: uuid, numberMasked: text, currency: text, since: instant },
  text: `select requisites.id, requisites.number_masked, requisites.currency, last.since
    from (
      select account.value ->> 'requisiteId' as requisite_id, max(statements.imported_at) as since
      from statements cross join lateral jsonb_array_elements(statements.accounts) as account
      where statements.state = 'imported' group by account.value ->> 'requisiteId'
    ) as last
    join requisites on requisites.id::text = last.requisite_id and requisites.status <> 'retired'
      and requisites.mode = :mode
    where last.since <= :before
      and not exists (select from statement_sources as sources where sources.requisite_ids ? requisites.id::text)
    order by last.since limit :limit`,
})

export const listWaitingMessages = query('list_waiting_phone_messages', {
  parameters,
  row: { id: uuid, phone: text, bank: text, kind: text, since: instant },
  text: `select :row from (${openMessages}) as messages
    where state = 'waiting' and gap is null and since <= :before and coalesce(mode, 'live') = :mode
    order by since limit :limit`,
})

/** Messages since before a time whose balance does not follow from the one before, with the money in between. */
export const listBalanceGaps = query('list_balance_gaps', {
  parameters,
  row: { id: uuid, phone: text, numberMasked: text, gap: bigint, currency: text, since: instant },
  text: `select :row from (${openMessages}) as messages
    where gap is not null and since <= :before and mode = :mode order by since limit :limit`,
})
