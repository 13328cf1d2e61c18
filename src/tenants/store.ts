import { array, bigint, boolean, instant, nullable, query, text, word } from '../database/query.ts'
import type { EntryKind, TenantState } from '../domain/tenant.ts'

/**
 * The directory has a schema of its own, made when the first tenant is added. It is the one thing that tenants share, so it
 * is the one schema that queries name.
 */
export const directoryCommands: readonly string[] = [
  // `if not exists` fails where two do it at once.
  `select pg_advisory_xact_lock(hashtextextended('make directory', 0))`,
  `create schema if not exists payin_directory`,
  // What is added here must stay readable by the release before, as in migrations.
  `create table if not exists payin_directory.tenants (
    name text primary key,
    schema_name text not null unique,
    state text not null,
    newest_migration text not null,
    created_at timestamptz not null
  )`,
  // Which tenant a key belongs to: the hash of a token, the id of a merchant or of a feed, the keyed hash of a number.
  `create table if not exists payin_directory.entries (
    kind text not null,
    key text not null,
    tenant text not null,
    primary key (kind, key)
  )`,
  // One change in a command: a Citus takes no further one with a constraint.
  `alter table payin_directory.tenants drop constraint if exists tenants_state_check`,
  `alter table payin_directory.tenants add constraint tenants_state_check
    check (state in ('preparing', 'active', 'switching', 'stopped', 'retired'))`,
  // The schema is on this server; while it is being moved, or restored to the same one, also on the other.
  `alter table payin_directory.tenants add column if not exists server text not null default 'main',
    add column if not exists other_server text, add column if not exists kept_schema text`,
]

/** Whether there is a directory, so that keys must be entered into it. */
export const findDirectory = query('find_directory', {
  row: { exists: boolean },
  text: `select to_regclass('payin_directory.entries') is not null as exists`,
})

/** Whether a directory that there is was made by an earlier release. */
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
  /** Where it is being copied to. */
  otherServer: nullable(text),
  /** What its schema was renamed to, on the server that it leaves or on which it is restored. */
  keptSchema: nullable(text),
}

/** A tenant besides `main`, as the directory has it. */
export type TenantRow = ReturnType<typeof selectTenants.decode>

/** All tenants besides `main`, by name. */
export const selectTenants = query('list_tenants', {
  row: tenantRow,
  text: `select name, schema_name, state, newest_migration, created_at, server, other_server, kept_schema
    from payin_directory.tenants order by name limit 10000`,
})

/** The lock that the one process has which moves or restores a tenant. */
const turnOf = (name: string): string => `hashtextextended('payin tenant ' || ${name}, 0)`

/** Whether this session has the right to work on a tenant's schemas, which one process at a time has until it ends. */
export const takeTurn = query('relocation_take_turn', {
  parameters: { name: text },
  row: { isTaken: boolean },
  // A lock of the session: one of a transaction would keep replication from beginning.
  text: `select pg_try_advisory_lock(${turnOf(':name')}) as is_taken`,
})

/** Those of these tenants that no process moves or restores. */
export const findIdle = query('find_idle_tenants', {
  rows: { name: text },
  row: { name: text },
  text: `select name from (select name, pg_try_advisory_xact_lock_shared(${turnOf('name')}) as is_free from :rows) as tried
    where is_free`,
})

/** One tenant, as it is now. */
export const findTenantRow = query('find_tenant', {
  parameters: { name: text },
  row: tenantRow,
  text: `select name, schema_name, state, newest_migration, created_at, server, other_server, kept_schema
    from payin_directory.tenants where name = :name`,
})

/** Adds a tenant that is being prepared; returns nothing where it is there already. */
export const insertTenant = query('insert_tenant', {
  parameters: { name: text, schemaName: text, server: text, now: instant },
  row: { name: text },
  text: `insert into payin_directory.tenants (name, schema_name, state, newest_migration, created_at, server)
    values (:name, :schemaName, 'preparing', '', :now, :server) on conflict do nothing returning name`,
})

/** Retires a tenant that is active; returns nothing where it is not. */
export const retireTenantRow = query('retire_tenant', {
  parameters: { name: text },
  row: { name: text },
  text: `update payin_directory.tenants set state = 'retired' where name = :name and state = 'active' and other_server is null
    returning name`,
})

/** Lets other tenants have the numbers of one. */
export const deleteNumbers = query('free_numbers_of_tenant', {
  parameters: { tenant: text },
  row: { key: text },
  text: `delete from payin_directory.entries where tenant = :tenant and kind = 'number' returning key`,
})

/** How many merchants each tenant besides `main` has. */
export const countMerchants = query('count_merchants_of_tenants', {
  row: { tenant: text, merchants: bigint },
  text: `select tenant, count(*) as merchants from payin_directory.entries where kind = 'merchant' group by tenant`,
})

/** Notes up to which migration the schema of a tenant is. */
export const markMigrated = query('mark_tenant_migrated', {
  parameters: { name: text, newestMigration: text },
  text: `update payin_directory.tenants set newest_migration = :newestMigration where name = :name`,
})

/** Takes a tenant into use. */
export const activateTenantRow = query('activate_tenant', {
  parameters: { name: text },
  text: `update payin_directory.tenants set state = 'active' where name = :name`,
})

/**
 * Enters keys for a tenant; returns whose each one is, which is another one's where that was first. Also an entry that is there
 * is written again: so it is locked, and whoever saw it before sees that it is not the same.
 */
export const insertEntries = query('enter_tenant_keys', {
  parameters: { kind: word<EntryKind>(), tenant: text },
  rows: { key: text },
  row: { key: text, tenant: text },
  text: `insert into payin_directory.entries as known (kind, key, tenant) select distinct :kind, key, :tenant from :rows order by 2
    on conflict (kind, key) do update set tenant = known.tenant returning key, tenant`,
})

/** Whose keys are, of those that have an entry. */
export const listEntriesOf = query('list_tenants_of_keys', {
  parameters: { kind: word<EntryKind>(), keys: array(text) },
  row: { key: text, tenant: text },
  text: `select key, tenant from payin_directory.entries where kind = :kind and key = any(:keys)`,
})

/** Enters other keys for whoever has these. */
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

/** Whose a key is; none for those of `main` that need no entry. */
export const findEntry = query('find_tenant_of_key', {
  parameters: { kind: word<EntryKind>(), key: text },
  row: { tenant: text },
  text: `select tenant from payin_directory.entries where kind = :kind and key = :key`,
})

// Of live requisites, and of the bank accounts that are bound to some; where those were bound before their claims were kept, a
// job notes them.
const liveNumbers = `select number_index as key from requisites where mode = 'live'
    union select claim_index from statement_accounts join requisites on requisites.id = requisite_id
      where mode = 'live' and ended_at is null and claim_index is not null`

/**
 * Keeps requisites from being added until the transaction ends, and waits for those who are adding some. A tenant is not
 * moved meanwhile.
 */
export const lockNumbers = query('lock_own_numbers', {
  text: `lock table requisites in share row exclusive mode`,
})

/** Keeps those out who want `lockNumbers`; whoever claims a number does so first. */
export const holdNumbers = query('hold_own_numbers', {
  text: `lock table requisites in row exclusive mode`,
})

/** Enters the numbers of the schema that the query runs in that must be claimed. */
export const enterMainNumbers = query('enter_numbers_of_main', {
  parameters: { tenant: text },
  text: `insert into payin_directory.entries (kind, key, tenant)
    select 'number', key, :tenant from (${liveNumbers}) as own order by 2 on conflict do nothing`,
})

/** What the schema that the query runs in has, by which requests find its tenant; of sandboxes no numbers. */
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

/** The numbers that are claimed for a tenant, each with the transaction that claimed it last. */
export const listClaims = query('list_claimed_numbers', {
  parameters: { tenant: text },
  row: { key: text, claimedBy: text },
  text: `select key, xmin::text as claimed_by from payin_directory.entries where tenant = :tenant and kind = 'number'`,
})

/** Of some of them, what is in the directory now; who wants to claim one waits, where that is the same transaction. */
export const lockClaims = query('lock_claimed_numbers', {
  parameters: { tenant: text, keys: array(text) },
  row: { key: text, claimedBy: text },
  text: `select key, xmin::text as claimed_by from payin_directory.entries
    where tenant = :tenant and kind = 'number' and key = any(:keys) order by key for update`,
})

/** What the schema that the query runs in has of numbers that must be claimed. */
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
