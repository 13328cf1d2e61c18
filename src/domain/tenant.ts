/** The tenant that every installation has, and the only one that most have. */
export const mainTenant = 'main'

/** What the directory finds a tenant by. */
export type EntryKind = 'token' | 'merchant' | 'feed' | 'link' | 'number'

/** What a tenant may be called: a part of the name of its schema. */
export const tenantNameShape = '^[a-z][a-z0-9_]{0,29}$'

/** The schema of a tenant. */
export const schemaOfTenant = (name: string): string => `tenant_${name}`
