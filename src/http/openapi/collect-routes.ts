import type { RefusalCode } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'

/** A part of a request or response by media type, for what is not JSON. */
type Contents = { readonly content: Readonly<Record<string, { readonly schema: object }>> }

/** The texts that a route declares. */
type RouteWords = {
  /** Left out of the OpenAPI document. */
  readonly hide?: boolean
  readonly tags?: readonly string[]
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly consumes?: readonly string[]
}

/** What a route declares: its texts, and the schemas of its requests and responses. */
export type RouteSchema = RouteWords & {
  readonly params?: unknown
  readonly querystring?: unknown
  readonly headers?: unknown
  readonly body?: unknown
  readonly response?: Readonly<Record<string, object | (Contents & { readonly headers?: object })>>
}

declare module 'fastify' {
  interface FastifySchema extends RouteWords {}
}

export type CollectedRoute = {
  readonly method: string
  readonly path: string
  readonly schema: RouteSchema
  /** The codes with which it refuses. */
  readonly refusals: ReadonlySet<RefusalCode>
}

/** The routes that are added to a server from now on, in order, without those that are hidden. */
export const collectRoutes = (app: App): readonly CollectedRoute[] => {
  const routes: CollectedRoute[] = []
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    // Every route that answers GET also answers HEAD.
    if (!schema || schema.hide || typeof method !== 'string' || method === 'HEAD') return
    routes.push({
      method: method.toLowerCase(),
      path: url.replace(/:(\w+)/g, '{$1}'),
      schema: schema as RouteSchema,
      refusals: config?.refusals ?? new Set(),
    })
  })
  return routes
}
