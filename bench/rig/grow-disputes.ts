import type { Bench, Database } from './open-bench.ts'

/** A dispute about every tenth payment; every tenth of them waits for a decision. */
const history = `
  insert into disputes (merchant_id, id, payment_id, state, claimant, opened_by, amount, reason, opened_at, due_at,
    from_status, decided_by, decided_at)
  select merchant_id, id, id, case when n % 10 = 0 then 'open' else 'rejected' end, 'merchant', 'merchant', amount - n % 1000,
    'other', created_at, created_at + interval '2 days', 'expired', case when n % 10 <> 0 then 'bench' end,
    case when n % 10 <> 0 then created_at end
  from (select payments.*, row_number() over (order by id) as n from payments
    where status in ('expired', 'canceled') and right(order_id, 1) = '7') as disputed`

/** Fills a database with disputes about its payments. */
export const growDisputes = async ({ say }: Pick<Bench, 'say'>, database: Database): Promise<void> => {
  say('P13: loading disputes')
  await database.query(history)
  await database.query('vacuum (freeze, analyze) disputes')
}
