import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { hashAccessToken, parseAccessToken } from '../secrets/access-token.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { App } from './app.ts'

/** The header by which an operator names a tenant. */
export const tenantHeader = 'payin-tenant'

type Find = (tenants: Tenants, request: FastifyRequest) => Promise<Context>

/** Gives every request a tenant: `main`, until one of the functions below has found another one. */
export const decorateTenant = (app: App, { main }: Tenants): void => {
  app.decorateRequest('otherTenant', undefined)
  app.decorateRequest('tenant', {
    getter() {
      return this.otherTenant ?? main
    },
  })
}

/** Finds the tenant of each request of a scope, before anything else looks at it. With `main` alone nothing is looked up. */
export const findTenant = (app: App, tenants: Tenants, find: Find): void => {
  app.addHook('onRequest', (request, _reply, done) => {
    if (tenants.isOne()) return done()
    find(tenants, request).then((tenant) => {
      request.otherTenant = tenant
      done()
    }, done)
  })
}

/** By the access token, which is checked later: an unknown one is for `main` to refuse. */
export const byToken: Find = async (tenants, request) => {
  const [, token = ''] = /^Bearer +([\x21-\x7e]{1,300})$/i.exec(request.headers.authorization ?? '') ?? []
  return parseAccessToken(token) ? tenants.ofKey('token', hashAccessToken(token)) : tenants.main
}

/** By the id of the feed in the address. */
export const byFeed: Find = (tenants, request) => tenants.ofKey('feed', (request.params as { id: string }).id)

/** By the merchant in the address, or by the checkout token or the token of a payment link that the address has. */
export const byMerchant: Find = async (tenants, request) => {
  const { token, link, merchantId } = (request.params ?? {}) as { token?: string; link?: string; merchantId?: string }
  const linkId = link === undefined ? undefined : tenants.main.linkTokens.open(link)
  if (linkId !== undefined) return tenants.ofKey('link', linkId)
  const id = merchantId ?? (token === undefined ? undefined : tenants.main.checkoutTokens.open(token)?.merchantId)
  return id === undefined ? tenants.main : tenants.ofKey('merchant', id)
}

/**
 * Takes the tenant that an operator names by the header. Accounts of the console have their roles in `main`; refuses
 * `role_missing` where there is no such tenant for the caller.
 */
export const takeNamedTenant = async (tenants: Tenants, request: FastifyRequest): Promise<void> => {
  const name = request.headers[tenantHeader]
  if (name === undefined || name === tenants.main.tenant) return
  const isToken = request.sessionId === undefined
  const tenant = isToken && typeof name === 'string' ? await tenants.find(name) : undefined
  if (!tenant) throw new Refusal('role_missing', `${request.operator} has no role in a tenant of that name.`)
  if (tenants.isRetired(tenant.tenant) && request.routeOptions.config.duty !== 'read')
    throw new Refusal('role_missing', `The tenant ${tenant.tenant} is retired: it can be read, and not changed.`)
  request.otherTenant = tenant
}
