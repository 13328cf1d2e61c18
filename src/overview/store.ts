import { bigint, instant, integer, nullable, query, text, uuid, word } from '../database/query.ts'
import type { AlertRuleName } from '../domain/alert.ts'
import type { MerchantMode } from '../domain/merchant.ts'
import type { WaitingKind } from '../domain/waiting.ts'

/**
 * What waits of a mode, by kind and currency (statements: of both), along indexes of waiting rows only. The `inbox` includes the possible duplicates.
 */
export const listWaiting = query('list_waiting', {
  planned: 'each-time',
  parameters: { mode: word<MerchantMode>(), serviceBook: uuid },
  row: {
    kind: word<Exclude<WaitingKind, 'transfers'> | 'inbox'>(),
    currency: nullable(text),
    count: integer,
    amount: nullable(bigint),
    /** When the oldest item began to wait. */
    since: nullable(instant),
    /** The next deadline. */
    dueAt: nullable(instant),
  },
  text: `with owners as (select id from merchants where mode = :mode),
      pool as (select id, currency from requisites where mode = :mode)
    select kind, currency, count::integer, amount, since, due_at from (
      (select 'inbox' as kind, pool.currency, sum(waiting.count) as count, sum(waiting.amount)::bigint as amount,
          (select min(opened_at) from suspense_cases join pool on pool.id = requisite_id where resolved_at is null) as since, null::timestamptz as due_at
        from (select requisite_id, count(*) as count, sum(amount) as amount from transfer_parts
          where kind = 'suspense' and replaced_at is null group by requisite_id) as waiting
        join pool on pool.id = waiting.requisite_id group by pool.currency)
      union all
      (select 'possible-duplicates', transfers.currency, count(*), sum(parts.amount)::bigint, min(cases.opened_at), null
        from transfers
        join pool on pool.id = transfers.requisite_id
        join suspense_cases as cases on cases.requisite_id = transfers.requisite_id
          and cases.transfer_id = transfers.id and cases.resolved_at is null
        join transfer_parts as parts on parts.requisite_id = cases.requisite_id
          and parts.transfer_id = cases.transfer_id and parts.kind = 'suspense' and parts.replaced_at is null
        where transfers.duplicate_of is not null group by transfers.currency)
      union all
      (select 'reversals', currency, count(*), sum(amount)::bigint, min(recorded_at), null from transfer_reversals
        where requisite_id in (select id from pool) and transfer_id is null and resolved_at is null group by currency)
      union all
      (select 'outgoing', currency, count(*), sum(amount)::bigint, min(booked_at), null from outgoing_transfers
        where requisite_id in (select id from pool) and state = 'unexplained' group by currency)
      union all
      (select 'overpayments', currency, count(*), -sum(balance)::bigint, null, null from ledger_balances
        where merchant_id in (select id from owners) and account like 'overpayment:%' and balance < 0 group by currency)
      union all
      (select case when correction_by is null then 'disputes' else 'corrections' end, payments.currency, count(*),
          sum(disputes.amount)::bigint, min(opened_at), min(disputes.due_at)
        from disputes join payments on payments.merchant_id = disputes.merchant_id and payments.id = disputes.payment_id
        where disputes.merchant_id in (select id from owners) and decided_at is null group by 1, 2)
      union all
      (select case status when 'draft' then 'settlements-to-approve' else 'settlements-to-pay' end, currency, count(*),
          sum(amount)::bigint, min(created_at), null
        from settlements where merchant_id in (select id from owners) and status in ('draft', 'approved') group by status, currency)
      union all
      (select 'adjustments', currency, count(*), sum(amount)::bigint, min(created_at), null from ledger_adjustments
        where (merchant_id = :serviceBook or merchant_id in (select id from owners)) and status = 'draft'
        group by currency)
      union all
      (select 'statements', null, count(*), null, min(uploaded_at), null from statements where state = 'ready')
      union all
      (select 'unacknowledged', null, count(*), null, (select min(first.created_at) from owners cross join lateral (
            select created_at from payments where payments.merchant_id = owners.id
              and status in ('paid', 'disput-paid') and acknowledged_at is null
            order by payments.merchant_id, id limit 1) as first), null
        from payments where merchant_id in (select id from owners)
          and status in ('paid', 'disput-paid') and acknowledged_at is null)
      union all
      (select 'paused-requisites', null, count(*), null, min(paused_at), null from requisite_pauses
        where requisite_id in (select id from pool) and ended_at is null)
      union all
      (select 'crediting-held', null, count(*), null, min((crediting_held ->> 'since')::timestamptz), null
        from requisites where mode = :mode and crediting_held is not null)
    ) as waiting
    where count > 0`,
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

/** Partly paid payments of a mode that wait for the rest, by currency; since when the oldest has been unchanged. */
export const listPartPaid = query('list_part_paid', {
  parameters: { mode: word<MerchantMode>() },
  row: { currency: text, count: integer, amount: bigint, since: instant },
  text: `select currency, count(*)::integer as count, sum(received)::bigint as amount, min(changed_at) as since from payments
    where merchant_id in (select id from merchants where mode = :mode) and status = 'processing' and received > 0
    group by currency`,
})
