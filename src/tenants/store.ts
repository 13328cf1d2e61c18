import { boolean, instant, query, text, word } from '../database/query.ts'
import type { EntryKind } from '../domain/tenant.ts'

/**
 * The directory has a schema of its own, made when the first tenant is added. It is the one thing that tenants share, so it
 * is the one schema that queries name.
 */
export const directoryCommands: readonly string[] = [
  `create schema if not exists payin_directory`,
  // What is added here must stay readable by the release before, as in migrations.
  `create table if not exists payin_directory.tenants (
    name text primary key,
    schema_name text not null unique,
    state text not null check (state in ('preparing', 'active')),
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
]

/** Whether there is a directory, so that keys must be entered into it. */
export const findDirectory = query('find_directory', {
  row: { exists: boolean },
  text: `select to_regclass('payin_directory.entries') is not null as exists`,
})

const tenantRow = {
  name: text,
  schemaName: text,
  state: word<'preparing' | 'active'>(),
  newestMigration: text,
  createdAt: instant,
}

/** A tenant besides `main`, as the directory has it. */
export type TenantRow = ReturnType<typeof selectTenants.decode>

/** All tenants besides `main`, by name. */
export const selectTenants = query('list_tenants', {
  row: tenantRow,
  text: `select name, schema_name, state, newest_migration, created_at from payin_directory.tenants order by name limit 10000`,
})

/** Adds a tenant that is being prepared; nothing where it is there already. */
export const insertTenant = query('insert_tenant', {
  parameters: { name: text, schemaName: text, now: instant },
  text: `insert into payin_directory.tenants (name, schema_name, state, newest_migration, created_at)
    values (:name, :schemaName, 'preparing', '', :now) on conflict do nothing`,
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

/** Enters keys for a tenant; returns whose each one is, which is another one's where that was first. */
export const insertEntries = query('enter_tenant_keys', {
  parameters: { kind: word<EntryKind>(), tenant: text },
  rows: { key: text },
  row: { key: text, tenant: text },
  text: `insert into payin_directory.entries as known (kind, key, tenant) select distinct :kind, key, :tenant from :rows order by 2
    on conflict (kind, key) do update set tenant = known.tenant returning key, tenant`,
})

/** Whose a key is; none for those of `main` that need no entry. */
export const findEntry = query('find_tenant_of_key', {
  parameters: { kind: word<EntryKind>(), key: text },
  row: { tenant: text },
  text: `select tenant from payin_directory.entries where kind = :kind and key = :key`,
})

/** Keeps requisites from being added until the transaction ends. */
export const lockRequisites = query('lock_requisites_for_directory', {
  text: `lock table requisites in share row exclusive mode`,
})

/** Enters the numbers of live accounts of the schema that the query runs in. */
export const enterMainNumbers = query('enter_numbers_of_main', {
  parameters: { tenant: text },
  text: `insert into payin_directory.entries (kind, key, tenant)
    select distinct 'number', number_index, :tenant from requisites where mode = 'live' on conflict do nothing`,
})
