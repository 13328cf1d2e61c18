import { countHours } from '../../src/engine/payments/hours/count-hours.ts'
import type { Bench, Database } from './open-bench.ts'
import { sealPayeeDetails } from '../../src/engine/transfers/outgoing/payee-details.ts'
import { openPayin } from './payin.ts'

/** SQL for a UUID of version 7, from a time and a number. */
const idOf = (at: string, n: string): string =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '70008000' || '0002' || lpad(to_hex(${n}), 8, '0'))::uuid`

const noId = `'00000000-0000-0000-0000-000000000000'::uuid`

/** What a year of business leaves besides payments and transfers: a description of each, and its SQL, in this order. */
const years: Readonly<Record<string, string>> = {
  'slots that ended a week ago are in the past': `
    with ended as (delete from slots where held_until < now() - interval '7 days'
      returning requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    insert into past_slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until) select * from ended`,
  'three postings of each paid payment': `
    insert into ledger_postings (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount,
      payment_id, posted_at)
    select merchant_id, ${idOf('changed_at', 'n * 3 + part')}, id, case part when 2 then 'fee' else 'credit' end,
      case part when 0 then 'suspense' else 'fx:rub' end,
      case part when 0 then 'fx:rub' when 1 then 'merchant:' || merchant_id || ':available' else 'fees' end,
      case part when 0 then 'rub' else 'USDT' end, case part when 0 then amount else amount * 100 end, id, changed_at
    from (select *, row_number() over (order by id)::integer as n from payments where status = 'paid') as paid
      cross join generate_series(0, 2) as part`,
  'balances, of which a hundredth is owed to payers': `
    insert into ledger_balances (merchant_id, account, currency, balance)
    select merchant_id, 'overpayment:' || id, 'rub', -100 from payments where status = 'paid' and right(order_id, 2) = '12'
    union all select id, account, currency, balance from merchants cross join (values ('suspense', 'rub', 0),
      ('fx:rub', 'rub', -1000), ('fx:rub', 'USDT', 1000), ('fees', 'USDT', -10)) as known (account, currency, balance)
    union all select merchants.id, 'bank:' || requisites.id, 'rub', 1000 from merchants cross join requisites
    on conflict do nothing`,
  'a dispute in a hundred is claimed by its payer': `
    insert into payer_claims (merchant_id, payment_id, id, amount, paid_at, received_at, check_at)
    select merchant_id, id, id, amount, created_at, created_at, null from payments
    where status = 'expired' and right(order_id, 2) = '17'`,
  'a transfer in a hundred was taken back': `
    insert into transfer_reversals (requisite_id, id, dedupe_key, currency, amount, booked_at, source, sender_masked, recorded_at)
    select requisite_id, id, 'bench:' || id, currency, amount, booked_at, 'statement', '', recorded_at from transfers
    where amount % 100 = 1`,
  'money that left, a tenth of it unexplained': `
    insert into outgoing_transfers (requisite_id, id, currency, amount, given_back, booked_at, source, channel, payee_masked,
      details_sealed, recorded_at, state, purpose, decided_by, decided_at)
    select requisite_id, id, currency, amount, false, booked_at, 'statement', 'bench', '', '', recorded_at,
      case when amount % 100 = 2 then 'unexplained' else 'booked' end, case when amount % 100 <> 2 then 'fee' end,
      case when amount % 100 <> 2 then 'bench' end, case when amount % 100 <> 2 then recorded_at end
    from transfers where amount % 10 = 2`,
  'settlements of every day': `
    insert into settlements (merchant_id, id, reference, currency, amount, destination, status, second_person, sequence,
      drafted_by, approved_by, external_reference, created_at, changed_at)
    select merchants.id, ${idOf('at', 'n')}, 's-' || n, 'USDT', 1000000, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      case when n % 100 = 0 then 'draft' else 'paid' end, false, 1, 'bench', case when n % 100 <> 0 then 'bench' end,
      case when n % 100 <> 0 then 'e-' || n end, at, at
    from merchants cross join generate_series(1, 4000) as n cross join lateral (select now() - interval '2 hours' * n as at) as times`,
  'closing balances of a month': `
    insert into closing_balances (requisite_id, day, statement_id, ends_at, currency, balance, source, recorded_at, reported_by)
    select id, to_char(at, 'YYYY-MM-DD'), ${noId}, date_trunc('day', at) + interval '1 day', 'rub', 1000, 'bench', at, ''
    from requisites cross join generate_series(now() - interval '31 days', now() - interval '2 days', interval '1 day') as at`,
  'decisions about payers': `
    insert into risk_decisions (merchant_id, id, payment_id, checkpoint, outcome, rule, rule_id, kind, explanation, decided_at)
    select merchant_id, id, id, 'create', 'refused', 'block', ${noId}, 'user',
      '{"blockId": "019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10", "reason": "bench"}', created_at from payments where right(order_id, 1) = '3'`,
  'incidents of alerts': `
    insert into alert_incidents (id, rule, subject, summary, command, since, opened_at, closed_at)
    select ${idOf('at', 'n')}, 'stale-rate', 'rate:' || n, 'bench', 'payin rates list', at, at, case when n > 50 then at end
    from generate_series(1, 20000) as n cross join lateral (select now() - interval '20 minutes' * n as at) as times`,
  'acts of operators': `
    insert into audit_entries (sequence, at, actor, action, subject, details, previous_hash, hash)
    select last + n, now() - interval '2 minutes' * (300000 - n), case when n % 1000 = 0 then 'operator:rare' else 'operator:bench' end,
      'transfer.assign', 'transfer:' || n, '{}', '', '' from generate_series(1, 300000) as n,
      (select coalesce(max(sequence), 0) as last from audit_entries) as before`,
  'the head of the audit': 'update audit_head set sequence = (select max(sequence) from audit_entries)',
  'a rate for each minute': `
    insert into rates (currency, quote, created_at, price, source, valid_until)
    select 'rub', 'USDT', at, 9250000000, 'bench', at + interval '2 minutes'
    from generate_series(now() - interval '365 days', now() - interval '2 minutes', interval '1 minute') as at
    on conflict do nothing`,
  'the newest is in force': `
    insert into rates (currency, quote, created_at, price, source) values ('rub', 'USDT', now(), 9250000000, 'bench')`,
}

/** Fills a database that has a year of payments and transfers with everything else that a year of business leaves. */
export const growBusiness = async (
  { signal, say }: Pick<Bench, 'signal' | 'say'>,
  database: Database,
): Promise<void> => {
  for (const [name, sql] of Object.entries(years)) {
    signal.throwIfAborted()
    say(`P13: loading ${name}`)
    await database.query(sql)
  }
  say('P13: counting the hours of payments')
  const service = await openPayin(database, { PAYIN_ROLES: 'web' })
  try {
    while ((await countHours(service.context)) > 0) signal.throwIfAborted()
    // Lists open sealed values, so the newest rows are really sealed.
    const newest = await database.query<{ id: string }>('select id from outgoing_transfers order by id desc limit 3000')
    const sealed = newest.map(
      ({ id }) =>
        `('${id}'::uuid, '${sealPayeeDetails(service.context.vault, id, { number: null, name: 'Ivan P.', text: 'fee' })}')`,
    )
    await database.query(
      `update outgoing_transfers set details_sealed = sealed.value from (values ${sealed.join()}) as sealed (id, value)
        where outgoing_transfers.id = sealed.id`,
    )
  } finally {
    await service.stop()
  }
  await database.query('vacuum (freeze, analyze)')
}
