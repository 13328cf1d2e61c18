import { bigint, instant, integer, nullable, query, text } from 'payin-database'

export const findDatabase = query('find_database_facts', {
  row: { version: text, size: bigint, connections: bigint, migrations: bigint, newestMigration: nullable(text) },
  text: `select current_setting('server_version') as version, pg_database_size(current_database()) as size,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections,
      (select count(*) from schema_migrations) as migrations,
      (select max(name) from schema_migrations) as newest_migration`,
})

export const selectProcesses = query('list_connected_processes', {
  parameters: { program: text },
  row: { host: text, name: text, connections: bigint },
  text: `select coalesce(host(client_addr), 'here') as host, coalesce(application_name, '') as name, count(*) as connections
    from pg_stat_activity where datname = current_database() and (application_name = :program or starts_with(application_name, :program || ' '))
    group by 1, 2 order by 1, 2 limit 100`,
})

/** Most items counted per queue: more is a long queue in any case. */
export const mostCounted = 10_000

export const selectQueues = query('list_queues', {
  parameters: { now: instant, counted: integer },
  row: { name: text, waiting: bigint, oldestAt: nullable(instant) },
  text: `select 'events' as name, least(coalesce(sum(events), 0), :counted)::bigint as waiting, min(at) as oldest_at from (
      select counters.position - coalesce(queued.position, 0) as events, (select created_at from outbox
          where outbox.merchant_id = counters.merchant_id and outbox.position > coalesce(queued.position, 0)
          order by outbox.position limit 1) as at
      from event_counters as counters
      left join queued_notifications as queued on queued.merchant_id = counters.merchant_id
      where counters.position > coalesce(queued.position, 0)) as behind
    union all select 'deliveries', count(*), min(at) from (
      select due_at as at from deliveries where status = 'pending' and due_at <= :now limit :counted) as due
    union all select 'statements', count(*), min(at) from (
      select coalesce(confirmed_at, uploaded_at) as at from statements where state in ('importing', 'withdrawing')
      limit :counted) as imports
    union all select 'alert messages', count(*), min(at) from (
      select due_at as at from alert_messages where state = 'pending' and due_at <= :now limit :counted) as messages`,
})
