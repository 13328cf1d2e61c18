import { array, bigint, boolean, instant, nullable, query, text, word } from '../database/query.ts'
import type { EntryKind, TenantState } from '../domain/tenant.ts'

/**
 * The directory has its own schema, created when the first tenant is added. Tenants share nothing else, so it is the
 * only schema that queries name.
 */
export const directoryCommands: readonly string[] = [
  // `if not exists` fails if two do it concurrently.
  `select pg_advisory_xact_lock(hashtextextended('make directory', 0))`,
  `create schema if not exists payin_directory`,
  // Additions must stay readable by the previous release, as in migrations.
  `create table if not exists payin_directory.tenants (
    name text primary key,
    schema_name text not null unique,
    state text not null,
    newest_migration text not null,
    created_at timestamptz not null
  )`,
  // The tenant of a key: the hash of a token, the id of a merchant or of a feed, the keyed hash of a number.
  `create table if not exists payin_directory.entries (
    kind text not null,
    key text not null,
    tenant text not null,
    primary key (kind, key)
  )`,
  // One change per command: Citus allows no further one together with a constraint.
  `alter table payin_directory.tenants drop constraint if exists tenants_state_check`,
  `alter table payin_directory.tenants add constraint tenants_state_check
    check (state in ('preparing', 'active', 'switching', 'stopped', 'retired'))`,
  // The schema is on this server; while it is being moved, or restored to the same server, also on the other one.
  `alter table payin_directory.tenants add column if not exists server text not null default 'main',
    add column if not exists other_server text, add column if not exists kept_schema text`,
]

/** Whether a directory exists, so that keys must be entered into it. */
export const findDirectory = query('find_directory', {
  row: { exists: boolean },
  text: `select to_regclass('payin_directory.entries') is not null as exists`,
})

/** Whether an existing directory was created by an earlier release. */
export const findOldDirectory = query('find_old_directory', {
  row: { isOld: boolean },
  text: `select to_regclass('payin_directory.tenants') is not null and not exists (select from pg_attribute
    where attrelid = to_regclass('payin_directory.tenants') and attname = 'kept_schema') as is_old`,
})

const tenantRow = {
  name: text,
  schemaName: text,
  state: word<TenantState>(),
  newestMigration: text,
  createdAt: instant,
  server: text,
  /** The server that it is being copied to. */
  otherServer: nullable(text),
  /** The name that its schema was given on the server that it leaves or on which it is restored. */
  keptSchema: nullable(text),
}

/** The directory's row of a tenant other than `main`. */
export type TenantRow = ReturnType<typeof selectTenants.decode>

/** All tenants other than `main`, by name. */
export const selectTenants = query('list_tenants', {
  row: tenantRow,
  text: `select name, schema_name, state, newest_migration, created_at, server, other_server, kept_schema
    from payin_directory.tenants order by name limit 10000`,
})

/** The lock of the only process that may move or restore a tenant. */
const turnOf = (name: string): string => `hashtextextended('payin tenant ' || ${name}, 0)`

/**
 * Takes the right to work on a tenant's schemas for this session, if free; one process at a time has it until it ends.
 */
export const takeTurn = query('relocation_take_turn', {
  parameters: { name: text },
  row: { isTaken: boolean },
  // A session lock: a transaction's lock would keep replication from starting.
  text: `select pg_try_advisory_lock(${turnOf(':name')}) as is_taken`,
})

/** Those of these tenants that no process is moving or restoring. */
export const findIdle = query('find_idle_tenants', {
  rows: { name: text },
  row: { name: text },
  text: `select name from (select name, pg_try_advisory_xact_lock_shared(${turnOf('name')}) as is_free from :rows) as tried
    where is_free`,
})

export const findTenantRow = query('find_tenant', {
  parameters: { name: text },
  row: tenantRow,
  text: `select name, schema_name, state, newest_migration, created_at, server, other_server, kept_schema
    from payin_directory.tenants where name = :name`,
})

/** Adds a tenant that is being prepared; no row if it exists. */
export const insertTenant = query('insert_tenant', {
  parameters: { name: text, schemaName: text, server: text, now: instant },
  row: { name: text },
  text: `insert into payin_directory.tenants (name, schema_name, state, newest_migration, created_at, server)
    values (:name, :schemaName, 'preparing', '', :now, :server) on conflict do nothing returning name`,
})

/** Retires an active tenant; no row if it is not active. */
export const retireTenantRow = query('retire_tenant', {
  parameters: { name: text },
  row: { name: text },
  text: `update payin_directory.tenants set state = 'retired' where name = :name and state = 'active' and other_server is null
    returning name`,
})

/** Frees the numbers of a tenant for others. */
export const deleteNumbers = query('free_numbers_of_tenant', {
  parameters: { tenant: text },
  row: { key: text },
  text: `delete from payin_directory.entries where tenant = :tenant and kind = 'number' returning key`,
})

/** How many merchants each tenant other than `main` has. */
export const countMerchants = query('count_merchants_of_tenants', {
  row: { tenant: text, merchants: bigint },
  text: `select tenant, count(*) as merchants from payin_directory.entries where kind = 'merchant' group by tenant`,
})

/** Stores the newest migration of a tenant's schema. */
export const markMigrated = query('mark_tenant_migrated', {
  parameters: { name: text, newestMigration: text },
  text: `update payin_directory.tenants set newest_migration = :newestMigration where name = :name`,
})

export const activateTenantRow = query('activate_tenant', {
  parameters: { name: text },
  text: `update payin_directory.tenants set state = 'active' where name = :name`,
})

/**
 * Enters keys for a tenant; returns the owner of each, which is another tenant if that was first. Rewrites existing
 * entries, too: so they are locked, and whoever saw one before sees that it has changed.
 */
export const insertEntries = query('enter_tenant_keys', {
  parameters: { kind: word<EntryKind>(), tenant: text },
  rows: { key: text },
  row: { key: text, tenant: text },
  text: `insert into payin_directory.entries as known (kind, key, tenant) select distinct :kind, key, :tenant from :rows order by 2
    on conflict (kind, key) do update set tenant = known.tenant returning key, tenant`,
})

/** The tenants of those keys that have an entry. */
export const listEntriesOf = query('list_tenants_of_keys', {
  parameters: { kind: word<EntryKind>(), keys: array(text) },
  row: { key: text, tenant: text },
  text: `select key, tenant from payin_directory.entries where kind = :kind and key = any(:keys)`,
})

/** Enters further keys for the tenants of these. */
export const copyEntries = query('copy_tenant_keys', {
  parameters: { kind: word<EntryKind>() },
  rows: { before: text, after: text },
  text: `insert into payin_directory.entries (kind, key, tenant)
    select distinct known.kind, input.after, known.tenant
      from :rows join payin_directory.entries as known on known.kind = :kind and known.key = input.before
    on conflict (kind, key) do nothing`,
})

/** Whether there is any entry of a kind. */
export const hasEntries = query('has_tenant_entries', {
  parameters: { kind: word<EntryKind>() },
  row: { has: boolean },
  text: `select exists (select from payin_directory.entries where kind = :kind) as has`,
})

/** Removes keys. */
export const deleteEntries = query('delete_tenant_keys', {
  parameters: { kind: word<EntryKind>(), keys: array(text) },
  text: `delete from payin_directory.entries where kind = :kind and key = any(:keys)`,
})

/** The tenant of a key; no row for keys of `main` that need no entry. */
export const findEntry = query('find_tenant_of_key', {
  parameters: { kind: word<EntryKind>(), key: text },
  row: { tenant: text },
  text: `select tenant from payin_directory.entries where kind = :kind and key = :key`,
})

// Numbers of live requisites, and of the bank accounts bound to some; if those were bound before their claims were
// stored, a job adds them.
const liveNumbers = `select number_index as key from requisites where mode = 'live'
    union select claim_index from statement_accounts join requisites on requisites.id = requisite_id
      where mode = 'live' and ended_at is null and claim_index is not null`

/**
 * Keeps requisites from being added until the transaction ends, and waits for transactions that are adding some. A
 * tenant is not moved meanwhile.
 */
export const lockNumbers = query('lock_own_numbers', {
  text: `lock table requisites in share row exclusive mode`,
})

/** Keeps out callers of `lockNumbers`; whoever claims a number runs this first. */
export const holdNumbers = query('hold_own_numbers', {
  text: `lock table requisites in row exclusive mode`,
})

/** Enters the numbers that must be claimed from the schema in which the query runs. */
export const enterMainNumbers = query('enter_numbers_of_main', {
  parameters: { tenant: text },
  text: `insert into payin_directory.entries (kind, key, tenant)
    select 'number', key, :tenant from (${liveNumbers}) as own order by 2 on conflict do nothing`,
})

/** The keys by which requests find the tenant of the schema in which the query runs; no numbers of sandboxes. */
export const selectKeys = query('list_keys_of_schema', {
  row: { kind: word<EntryKind>(), key: text },
  text: `select 'token' as kind, hash as key from access_tokens
    union all select 'merchant', id::text from merchants
    union all select 'feed', id::text from statement_sources
    union all select 'link', id::text from payment_links
    union all select 'number', key from (${liveNumbers}) as own`,
})

/** Removes claims of a tenant on numbers other than these. */
export const deleteOtherNumbers = query('delete_other_numbers_of_tenant', {
  parameters: { tenant: text, numbers: array(text) },
  text: `delete from payin_directory.entries where tenant = :tenant and kind = 'number' and key <> all (:numbers)`,
})

/** The numbers that are claimed for a tenant, each with its last claiming transaction. */
export const listClaims = query('list_claimed_numbers', {
  parameters: { tenant: text },
  row: { key: text, claimedBy: text },
  text: `select key, xmin::text as claimed_by from payin_directory.entries where tenant = :tenant and kind = 'number'`,
})

/**
 * The current directory entries of some of them, locked: if the directory is in the same transaction, others who want
 * to claim one wait.
 */
export const lockClaims = query('lock_claimed_numbers', {
  parameters: { tenant: text, keys: array(text) },
  row: { key: text, claimedBy: text },
  text: `select key, xmin::text as claimed_by from payin_directory.entries
    where tenant = :tenant and kind = 'number' and key = any(:keys) order by key for update`,
})

/** The numbers that must be claimed in the schema in which the query runs. */
export const listOwnNumbers = query('list_own_numbers', {
  planned: 'whole',
  row: { key: text },
  text: liveNumbers,
})

/** Frees numbers of a tenant, except those that were claimed again meanwhile. */
export const deleteClaims = query('free_claimed_numbers', {
  parameters: { tenant: text },
  rows: { key: text, claimedBy: text },
  row: { key: text },
  text: `delete from payin_directory.entries as known using :rows
    where known.tenant = :tenant and known.kind = 'number' and known.key = input.key and known.xmin::text = input.claimed_by
    returning known.key`,
})
