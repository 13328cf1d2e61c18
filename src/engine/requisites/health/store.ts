import { array, boolean, instant, integer, jsonb, nullable, query, table, uuid, word } from 'payin-database'
import type { PauseCause, PauseExplanation, PaymentCounts } from '../../../rules/requisites/requisite-health.ts'

/**
 * How many of a requisite's newest transfers belong to no payment, up to the first that does, and how many senders they
 * have, without those that one person or a phone alone reported; reads at most this many, and none that is too small for
 * any payment.
 */
const unmatchedRun = (lookedAt: number): string => `(
    select count(*)::integer as transfers, count(distinct sender)::integer as senders from (
      select case when reported_by is null
          then coalesce(sender_index, nullif(sender_name_masked, ''), latest.id::text) end as sender,
        sum(case when suspense_cases.transfer_id is null then 1 else 0 end) over (order by latest.id desc) as known
      from (
        select requisite_id, id, sender_index, sender_name_masked, reported_by from transfers
        where transfers.requisite_id = input.id and recorded_at > input.watched_from
          and amount >= coalesce(
            (select (limits ->> 'minAmount')::bigint from requisites where requisites.id = input.id), 0)
        order by id desc limit ${lookedAt}
      ) as latest left join suspense_cases on suspense_cases.requisite_id = latest.requisite_id
        and suspense_cases.transfer_id = latest.id and suspense_cases.resolved_at is null
    ) as runs where known = 0)`

/** The payments that held slots of the requisites, each once, with how it ended and whether it is in the last run. */
const outcomesOf = (held: string): string => `with input as (select :columns from :rows),
    held as (${held}),
    outcomes as (
      select held.requisite_id, held.merchant_id, held.taken_at, payments.changed_at, is_paid, is_expired,
        changed_at > greatest(held.watched_from,
          max(changed_at) filter (where is_paid) over (partition by held.requisite_id)) as is_in_run
      from held join payments on payments.merchant_id = held.merchant_id and payments.id = held.payment_id
        and payments.requisite_id = held.requisite_id
        -- What failed was never shown to its payer.
        and payments.status <> 'failed'
      cross join lateral (select payments.status in ('paid', 'disput-paid') as is_paid,
        payments.status = 'expired' and payments.requisite_shown as is_expired) as ended
    )`

const runRow = {
  requisiteId: uuid,
  lastPaidAt: nullable(instant),
  expiredRun: integer,
  expiredSince: nullable(instant),
  unmatchedRun: integer,
}

const runSums = `max(changed_at) filter (where is_paid) as last_paid_at,
        count(*) filter (where is_expired and is_in_run) as expired_run,
        min(changed_at) filter (where is_expired and is_in_run) as expired_since`

// Nearly every run is short, so a hundred transfers are read only if the newest ten are all unmatched.
const runColumns = `last_paid_at, coalesce(expired_run, 0)::integer as expired_run, expired_since,
      case when newest.transfers < 10 then newest.senders
        else (select senders from ${unmatchedRun(100)} as more) end as unmatched_run`
const eachRequisite = `from input left join sums on sums.requisite_id = input.id
      cross join lateral ${unmatchedRun(10)} as newest`

/**
 * The runs of requisites among their newest ended payments since a given time, at most `newest` of each: a week of
 * 1 500 000 payments took 6 s to read, every five minutes.
 */
export const listRuns = query('list_requisite_runs', {
  parameters: { since: instant, newest: integer },
  rows: { id: uuid, watchedFrom: instant },
  row: { ...runRow, expiredOfOne: integer },
  text: `${outcomesOf(`
      select input.id as requisite_id, watched_from, merchant_id, payment_id, taken_at
      from input cross join lateral (
        (select slots.merchant_id, payment_id, taken_at from slots
          join payments on payments.merchant_id = slots.merchant_id and payments.id = slots.payment_id
            and payments.status not in ('new', 'processing')
          where slots.requisite_id = input.id and taken_at >= :since
          order by taken_at desc limit :newest)
        union
        (select past_slots.merchant_id, payment_id, taken_at from past_slots
          join payments on payments.merchant_id = past_slots.merchant_id and payments.id = past_slots.payment_id
            and payments.status not in ('new', 'processing')
          where past_slots.requisite_id = input.id and held_until >= :since and taken_at >= :since
          order by held_until desc limit :newest)
        order by taken_at desc limit :newest
      ) as latest`)}, sums as (
      select requisite_id, max(last_paid_at) as last_paid_at, sum(expired_run) as expired_run,
        min(expired_since) as expired_since, max(expired_run) as expired_of_one
      from (select requisite_id, merchant_id, ${runSums} from outcomes group by requisite_id, merchant_id) as of_merchant
      group by requisite_id
    )
    select input.id as requisite_id, ${runColumns}, coalesce(expired_of_one, 0)::integer as expired_of_one
    ${eachRequisite}`,
})

const countsSince = (condition: string): string => `jsonb_build_object(
          'payments', count(*) filter (where ${condition}),
          'paid', count(*) filter (where ${condition} and is_paid),
          'expired', count(*) filter (where ${condition} and is_expired))`
const noCounts = `'{"payments": 0, "paid": 0, "expired": 0}'::jsonb`

/** The health of requisites since given times, by the outcomes of the payments that held slots on them. */
export const listHealth = query('list_requisite_health', {
  parameters: { dayStart: instant, since: instant },
  rows: { id: uuid, watchedFrom: instant },
  row: {
    ...runRow,
    day: jsonb<PaymentCounts>(),
    week: jsonb<PaymentCounts>(),
    /** When the bank booked the last reported money. */
    lastMoneyAt: nullable(instant),
  },
  // Reads every payment once, including for the end of the last run: going through all payments for each requisite took
  // 5 s for 10 000 payments on 500.
  text: `${outcomesOf(`
      select requisite_id, watched_from, merchant_id, payment_id, taken_at from input
        join slots on slots.requisite_id = input.id and taken_at >= :since
      union
      select requisite_id, watched_from, merchant_id, payment_id, taken_at from input
        join past_slots on past_slots.requisite_id = input.id and held_until >= :since and taken_at >= :since`)}, sums as (
      select requisite_id, ${countsSince('taken_at >= :dayStart')} as day, ${countsSince('true')} as week, ${runSums}
      from outcomes group by requisite_id
    )
    select input.id as requisite_id, ${runColumns}, coalesce(day, ${noCounts}) as day, coalesce(week, ${noCounts}) as week,
      (select booked_at from transfers where transfers.requisite_id = input.id order by id desc limit 1) as last_money_at
    ${eachRequisite}`,
})

const pauseRow = {
  requisiteId: uuid,
  id: uuid,
  cause: word<PauseCause>(),
  explanation: jsonb<PauseExplanation>(),
  pausedAt: instant,
  endedAt: nullable(instant),
}

const requisitePauses = table('requisite_pauses', { id: uuid })

export const insertPause = requisitePauses.insert('insert_requisite_pause', pauseRow)

export const markPauseEnded = query('end_requisite_pause', {
  parameters: { requisiteId: uuid, now: instant },
  text: `update requisite_pauses set ended_at = :now where requisite_id = :requisiteId and ended_at is null`,
})

export const listSilentPauses = query('list_silent_requisite_pauses', {
  parameters: { ids: array(uuid) },
  row: { requisiteId: uuid, pausedAt: instant, endedAt: nullable(instant) },
  text: `select distinct on (requisite_id) :row from requisite_pauses
    where requisite_id = any(:ids) and cause = 'silent' order by requisite_id, id desc`,
})

export const listLastPauses = query('list_last_requisite_pauses', {
  parameters: { ids: array(uuid) },
  row: pauseRow,
  text: `select last.:row
    from unnest(:ids) as input (id) cross join lateral (
      select :row from requisite_pauses
      where requisite_id = input.id order by id desc limit 1
    ) as last`,
})

export const selectPauses = requisitePauses.page('list_requisite_pauses', pauseRow, {
  filter: { open: nullable(boolean) },
  where: ':open is null or (ended_at is null) = :open',
})
