import { bigint, boolean, integer, nullable, query, text, word } from '../database/query.ts'

/** Whether a schema exists. */
export const findSchema = query('relocation_find_schema', {
  parameters: { schema: text },
  row: { exists: boolean },
  text: `select to_regnamespace(:schema) is not null as exists`,
})

export const selectTables = query('relocation_list_tables', {
  parameters: { schema: text },
  row: { name: text },
  text: `select relname::text as name from pg_class where relnamespace = to_regnamespace(:schema) and relkind = 'r' order by 1`,
})

/** The size of a schema's tables and indexes. */
export const measureSchema = query('relocation_measure_schema', {
  parameters: { schema: text },
  row: { bytes: bigint },
  text: `select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
    where relnamespace = to_regnamespace(:schema) and relkind = 'r'`,
})

/** How many open transactions have written to tables of a schema. */
export const countWriters = query('relocation_count_writers', {
  parameters: { schema: text },
  row: { writers: integer },
  text: `select count(distinct pid)::integer as writers from pg_locks join pg_class on pg_class.oid = pg_locks.relation
    where relnamespace = to_regnamespace(:schema) and pid <> pg_backend_pid()
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
})

/** What a server needs so that its changes can be replicated. */
export const findPublishing = query('relocation_find_publishing', {
  row: { walLevel: text, mayReplicate: boolean, freeSlots: integer },
  text: `select current_setting('wal_level') as wal_level,
      coalesce((select rolsuper or rolreplication from pg_roles where rolname = current_user), false) as may_replicate,
      (current_setting('max_replication_slots')::integer - (select count(*) from pg_replication_slots))::integer as free_slots`,
})

/** Whether the role may subscribe to another server. */
export const findSubscribing = query('relocation_find_subscribing', {
  row: { maySubscribe: boolean },
  text: `select coalesce((select rolsuper from pg_roles where rolname = current_user), false)
      or case when to_regrole('pg_create_subscription') is null then false
         else pg_has_role(current_user, to_regrole('pg_create_subscription')::oid, 'member') end as may_subscribe`,
})

/** How many tables a subscription has, and how many of them are copied. */
export const findProgress = query('relocation_find_progress', {
  parameters: { subscription: text },
  row: { ready: integer, tables: integer },
  text: `select (count(*) filter (where srsubstate = 'r'))::integer as ready, count(*)::integer as tables
    from pg_subscription_rel join pg_subscription on pg_subscription.oid = srsubid where subname = :subscription`,
})

/** The number in the names of the slots that a subscription uses for copying tables. */
export const findSubscription = query('relocation_find_subscription', {
  parameters: { subscription: text },
  row: { id: text },
  text: `select oid::text as id from pg_subscription where subname = :subscription
    and subdbid = (select oid from pg_database where datname = current_database())`,
})

/** Bytes of the log that the receiver of a slot has not written yet. */
export const findLag = query('relocation_find_lag', {
  parameters: { slot: text },
  row: { bytes: bigint },
  text: `select coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn), 0)::bigint as bytes
    from pg_replication_slots where slot_name = :slot`,
})

export const findLogEnd = query('relocation_find_log_end', {
  row: { lsn: text },
  text: `select pg_current_wal_lsn()::text as lsn`,
})

/** Whether the receiver of a slot has everything up to a log position. */
export const findReached = query('relocation_find_reached', {
  parameters: { slot: text, lsn: text },
  row: { isReached: boolean },
  text: `select confirmed_flush_lsn >= :lsn::pg_lsn as is_reached from pg_replication_slots where slot_name = :slot`,
})

export const selectSlots = query('relocation_list_slots', {
  parameters: { slot: text, subscriptionId: text },
  row: { name: text, pid: nullable(integer) },
  text: `select slot_name::text as name, active_pid as pid from pg_replication_slots
    where slot_name = :slot or (:subscriptionId <> '' and slot_name like 'pg\\_' || :subscriptionId || '\\_sync\\_%')`,
})

/** Records that a tenant is being copied to a server. */
export const noteCopying = query('relocation_note_copying', {
  parameters: { name: text, to: text },
  row: { name: text },
  text: `update payin_directory.tenants set other_server = :to
    where name = :name and state = 'active' and other_server is null and kept_schema is null returning name`,
})

/** Stops a tenant, whose schema is about to be renamed. */
export const noteStopped = query('relocation_note_stopped', {
  parameters: { name: text, state: word<'switching' | 'stopped'>(), kept: text },
  row: { name: text },
  text: `update payin_directory.tenants set state = :state, kept_schema = :kept
    where name = :name and state in ('active', 'preparing') and kept_schema is null returning name`,
})

/** Records that a tenant is now on the other server; no row if the move was given up meanwhile. */
export const noteMoved = query('relocation_note_moved', {
  parameters: { name: text, from: text, to: text },
  row: { name: text },
  text: `update payin_directory.tenants set server = :to, other_server = :from, state = 'active'
    where name = :name and server = :from and other_server = :to and state in ('switching', 'stopped')
      and kept_schema is not null returning name`,
})

/** Prevents whoever stopped a tenant from activating it; no row if it is not stopped. */
export const noteRecovering = query('relocation_note_recovering', {
  parameters: { name: text, server: text },
  row: { name: text },
  text: `update payin_directory.tenants set state = 'preparing'
    where name = :name and server = :server and state in ('switching', 'stopped', 'preparing') returning name`,
})

/** Activates a tenant again where it is. */
export const noteRecovered = query('relocation_note_recovered', {
  parameters: { name: text },
  text: `update payin_directory.tenants set state = 'active', kept_schema = null where name = :name and state = 'preparing'`,
})

/** Records that nothing of a tenant is left elsewhere. */
export const noteWhole = query('relocation_note_whole', {
  parameters: { name: text },
  text: `update payin_directory.tenants set other_server = null, kept_schema = null where name = :name`,
})

/** Activates a restored tenant; no row if the restore was given up meanwhile. */
export const noteRestored = query('relocation_note_restored', {
  parameters: { name: text, newestMigration: text },
  row: { name: text },
  text: `update payin_directory.tenants set state = 'active', newest_migration = :newestMigration
    where name = :name and state = 'stopped' returning name`,
})

/** Raises the versions of the catalog above all earlier ones. */
export const raiseVersions = query('relocation_raise_versions', {
  text: `update catalog_versions set version = version + 1000000000`,
})
