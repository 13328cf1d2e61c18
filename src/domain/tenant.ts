/** The tenant that every installation has, and the only one that most have. */
export const mainTenant = 'main'

/** The server of the directory and of `main`, whose address is DATABASE_URL. */
export const mainServer = 'main'

/** What the directory finds a tenant by. */
export type EntryKind = 'token' | 'merchant' | 'feed' | 'link' | 'number' | 'rotation'

/**
 * A tenant that is `preparing` serves nobody yet; `switching` lasts seconds, in which its requests wait; while `stopped` they
 * are refused; one that is `retired` can be read by operators.
 */
export type TenantState = 'preparing' | 'active' | 'switching' | 'stopped' | 'retired'

/** What a tenant may be called: a part of the name of its schema. */
export const tenantNameShape = '^[a-z][a-z0-9_]{0,29}$'

/** What a server of tenants may be called. */
export const serverNameShape = '^[a-z][a-z0-9_-]{0,29}$'

/** The schema of a tenant. */
export const schemaOfTenant = (name: string): string => `tenant_${name}`
