import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { hashAccessToken, parseAccessToken } from '../secrets/access-token.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { App } from './app.ts'
import { isOfConsole } from './console-session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenants of the installation. */
    readonly tenants: Tenants
    /** The tenant that a link of the console names in its query. */
    tenantOfLink: string | undefined
  }
}

/** The header in which an operator names a tenant, and the query parameter of the console's links. */
const tenantHeader = 'payin-tenant'

type Find = (tenants: Tenants, request: FastifyRequest) => Promise<Context>

/** Gives every request a tenant: `main`, until `findTenant` has found another one. */
export const decorateTenant = (app: App, tenants: Tenants): void => {
  app.decorateRequest('otherTenant', undefined)
  app.decorateRequest('tenantOfLink', undefined)
  app.decorateRequest('tenants', { getter: () => tenants })
  app.decorateRequest('tenant', {
    getter() {
      return this.otherTenant ?? tenants.main
    },
  })
}

/** Finds the tenant of each request of a scope, before any other hook. With only one tenant, nothing is looked up. */
export const findTenant = (app: App, tenants: Tenants, find: Find): void => {
  app.addHook('onRequest', (request, _reply, done) => {
    if (tenants.isOne()) return done()
    find(tenants, request).then((tenant) => {
      request.otherTenant = tenant
      done()
    }, done)
  })
}

/** By the access token, which is checked later; `main` refuses an unknown one. */
export const byToken: Find = async (tenants, request) => {
  const [, token = ''] = /^Bearer +([\x21-\x7e]{1,300})$/i.exec(request.headers.authorization ?? '') ?? []
  return parseAccessToken(token) ? tenants.ofKey('token', hashAccessToken(token)) : tenants.main
}

/** By the id of the feed in the address. */
export const byFeed: Find = (tenants, request) => tenants.ofKey('feed', (request.params as { id: string }).id)

/** By the merchant, the checkout token or the token of a payment link in the address. */
export const byMerchant: Find = async (tenants, request) => {
  const { token, link, merchantId } = (request.params ?? {}) as { token?: string; link?: string; merchantId?: string }
  const linkId = link === undefined ? undefined : tenants.main.linkTokens.open(link)
  if (linkId !== undefined) return tenants.ofKey('link', linkId)
  const id = merchantId ?? (token === undefined ? undefined : tenants.main.checkoutTokens.open(token)?.merchantId)
  return id === undefined ? tenants.main : tenants.ofKey('merchant', id)
}

/**
 * The name of the tenant that an operator's request is for: that of the header, by default `main`. The console's links
 * to exports and files cannot send a header and name it in their query, from which it is removed here.
 */
export const namedTenant = (request: FastifyRequest): string => {
  const { [tenantHeader]: inQuery, ...rest } = (request.query ?? {}) as Readonly<Record<string, unknown>>
  if (inQuery !== undefined && isOfConsole(request)) {
    request.query = rest
    // A parameter that is given twice names no tenant.
    request.tenantOfLink = typeof inQuery === 'string' ? inQuery : ''
  }
  return String(request.headers[tenantHeader] ?? request.tenantOfLink ?? request.tenants.main.tenant)
}
