import type { Bench, Database } from './open-bench.ts'

const perStatement = 500_000
const daysOfHistory = 365

/** SQL for rows `from` to `to` of a year of payments: of ten, six are paid, three expired, one canceled. */
const history = (from: number, to: number, count: number, merchantId: string): string => `
  with numbered as materialized (
    select n, lpad(to_hex(n), 8, '0') as hex,
      date_trunc('second', now()) - interval '${daysOfHistory} days' * (1 - n / ${count}.0) - interval '2 days' as created_at
    from generate_series(${from}, ${to}) as n
  ), requisite as (
    select id, row_number() over (order by id) - 1 as place, count(*) over () as every from requisites
  ), made as materialized (
    select n, created_at, requisite.id as requisite_id,
      case when n / requisite.every % 10 < 6 then 'paid' when n / requisite.every % 10 < 9 then 'expired'
        else 'canceled' end as status,
      (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0')
        || '7000' || '8000' || '0000' || hex)::uuid as id,
      10000 + n / requisite.every as amount
    from numbered join requisite on requisite.place = n % requisite.every
  ), events as (
    insert into payment_events (merchant_id, payment_id, sequence, status, status_reason, trigger, actor, at)
    select '${merchantId}', id, sequence, case sequence when 1 then 'new' else status end,
      case sequence when 1 then 'created' else 'exact' end, case sequence when 1 then 'created' else 'money-right' end,
      case sequence when 1 then 'merchant' else 'bank' end, created_at + interval '1 minute' * (sequence - 1)
    from made cross join generate_series(1, 2) as sequence
  ), slot as (
    insert into slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    select requisite_id, amount, '${merchantId}', id, created_at, created_at + interval '1 day' from made
    where created_at > now() - interval '8 days'
    on conflict (requisite_id, amount) do nothing
  ), past_slot as (
    insert into past_slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    select requisite_id, amount, '${merchantId}', id, created_at, created_at + interval '1 day' from made
    where created_at <= now() - interval '8 days'
  )
  insert into payments (merchant_id, id, order_id, type, method, sbp_enabled, user_id, user_id_given, currency, amount,
    rate_price, rate_created_at, total, status, status_reason, sequence, received, requisite_id, requisite_shown,
    source_pan, terms, created_at, expired_at, changed_at, acknowledged_at, acknowledged_sequence)
  select '${merchantId}', id, 'poll-' || n, 'direct', 'sbp', false, 'user-' || n % 100000, true, 'rub', amount,
    9250000000, created_at, amount * 108, status, 'exact', 2, case status when 'paid' then amount else 0 end,
    requisite_id, true, case status when 'paid' then '*******4567' else '' end,
    '{"timeToPayMs": 1800000, "graceMs": 900000, "lateWindowMs": 86400000, "coolDownMs": 86400000, "confirmDeadlineMs": 86400000, "toleranceMinor": 0, "mismatchPolicy": "credit-received", "feePpm": 15000, "minMinor": 10000, "maxMinor": 30000000}',
    created_at, created_at + interval '30 minutes', created_at + interval '1 minute',
    case status when 'paid' then created_at + interval '2 minutes' end, case status when 'paid' then 2 end
  from made`

/**
 * Fills a database with a year of payments and their events and slots, by `insert … select`, as the archive of slots
 * leaves them: those that ended a week ago are past ones; orderIds are `poll-1` to
 * `poll-<count>`. Outbox and ledger stay empty, because creating and polling never read them.
 */
export const grow = async (
  { merchant, signal, say }: Pick<Bench, 'merchant' | 'signal' | 'say'>,
  database: Database,
  count: number,
): Promise<void> => {
  for (let from = 1; from <= count; from += perStatement) {
    signal.throwIfAborted()
    say(`P4: loading payments: ${from - 1} of ${count}`)
    await database.query(history(from, Math.min(count, from + perStatement - 1), count, merchant.id))
  }
  say('P4: vacuum')
  await database.query('vacuum (freeze, analyze)')
  await database.query('checkpoint')
}
