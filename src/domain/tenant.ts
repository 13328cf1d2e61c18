/** The tenant that every installation has; most have no other. */
export const mainTenant = 'main'

/** The server of the directory and of `main`, whose address is DATABASE_URL. */
export const mainServer = 'main'

/** The keys by which the directory finds a tenant. */
export type EntryKind = 'token' | 'merchant' | 'feed' | 'link' | 'number' | 'rotation'

/**
 * A tenant that is `preparing` does not serve anybody yet; `switching` lasts seconds, during which its requests wait;
 * while `stopped` they are refused; a `retired` one can still be read by operators.
 */
export type TenantState = 'preparing' | 'active' | 'switching' | 'stopped' | 'retired'

/** The pattern of tenant names: part of the schema's name. */
export const tenantNameShape = '^[a-z][a-z0-9_]{0,29}$'

/** The pattern of the names of tenant servers. */
export const serverNameShape = '^[a-z][a-z0-9_-]{0,29}$'

/** The schema of a tenant. */
export const schemaOfTenant = (name: string): string => `tenant_${name}`
