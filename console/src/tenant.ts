import { mainTenant } from '../../src/domain/tenant.ts'

const [base = '/console', named] = /^\/console\/t\/([a-z][a-z0-9_]{0,29})(?=\/|$)/.exec(location.pathname) ?? []

/** What the addresses of all pages begin with. */
export const basePath = base

/**
 * The tenant that this page shows: the one in its address. Another tenant is another load of the page, so nothing that was
 * read of one is there in the other.
 */
export const tenant = named ?? mainTenant

/** The address of a page of a tenant; the path begins with a slash. */
export const addressInTenant = (name: string, path: string): string =>
  `/console${name === mainTenant ? '' : `/t/${name}`}${path}`

if (tenant !== mainTenant) document.title = `Payin: ${tenant}`
