import { mainTenant } from '../../src/domain/tenant.ts'

const [base = '/console', named] = /^\/console\/t\/([a-z][a-z0-9_]{0,29})(?=\/|$)/.exec(location.pathname) ?? []

/** The beginning of the addresses of all pages. */
export const basePath = base

/**
 * The tenant that this page shows: the one in its address. Changing it loads the page again, so nothing that was read
 * of one tenant is left for another.
 */
export const tenant = named ?? mainTenant

/** The address of a page of a tenant; the path begins with a slash. */
export const addressInTenant = (name: string, path: string): string =>
  `/console${name === mainTenant ? '' : `/t/${name}`}${path}`

if (tenant !== mainTenant) document.title = `Payin: ${tenant}`
