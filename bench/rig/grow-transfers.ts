import type { Bench, Database } from './open-bench.ts'

const perStatement = 200_000

/** SQL for rows `:from` to `:to` of a year of transfers: one in ten waits in the inbox, the others are ignored. */
const history = (from: number, to: number, count: number): string => `
  with requisite as (
    select id, row_number() over (order by id) - 1 as place, count(*) over () as every from requisites
  ), made as materialized (
    select n, requisite.id as requisite_id, 5000 + n % 200000 as amount, n % 10 = 0 as waits,
      date_trunc('second', now()) - interval '365 days' * (1 - n / ${count}.0) - interval '1 day' as at
    from generate_series(${from}, ${to}) as n join requisite on requisite.place = n % requisite.every
  ), named as materialized (
    select *, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || '0001'
      || lpad(to_hex(n), 8, '0'))::uuid as id
    from made
  ), transfer as (
    insert into transfers (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference,
      sender_masked, recorded_at)
    select requisite_id, id, 'bench:' || n, 'rub', amount, at, 'statement', 'FT-' || n, '*******' || lpad((n % 10000)::text, 4, '0'), at
    from named
  ), part as (
    insert into transfer_parts (requisite_id, transfer_id, number, kind, amount, outcome, reasons, decided_at)
    select requisite_id, id, 1, case when waits then 'suspense' else 'ignored' end, amount, 'none', '[]', at from named
  )
  select 1`

const cases = `
  insert into suspense_cases (requisite_id, transfer_id, suggestions, opened_at)
  select requisite_id, transfer_id, '[]', decided_at from transfer_parts where kind = 'suspense'`

/** Fills a database with a year of transfers to its requisites; every tenth waits in the inbox. */
export const growTransfers = async (
  { signal, say }: Pick<Bench, 'signal' | 'say'>,
  database: Database,
  count: number,
): Promise<void> => {
  for (let from = 1; from <= count; from += perStatement) {
    signal.throwIfAborted()
    say(`P13: loading transfers: ${from - 1} of ${count}`)
    await database.query(history(from, Math.min(count, from + perStatement - 1), count))
  }
  await database.query(cases)
  say('P13: vacuum')
  await database.query('vacuum (freeze, analyze)')
}
