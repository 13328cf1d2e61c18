import { Refusal } from '../../domain/refusal.ts'
import type { App } from '../app.ts'
import { parseJsonBody } from '../json-body.ts'

/** Whether a request may come without a body: its schema has none, or allows `null`. */
export const mayLackBody = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, anyOf = [] } = schema as { type?: unknown; anyOf?: readonly { readonly type?: unknown }[] }
  return [type, ...anyOf.map((form) => form.type)].includes('null')
}

/** Parses bodies as JSON in UTF-8. Refuses every other content type. */
export const parseBodies = (app: App): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /charset\s*=\s*"?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    const coding = request.headers['content-encoding'] ?? 'identity'
    if ((charset !== undefined && !/^utf-?8$/i.test(charset.trim())) || coding !== 'identity') {
      return done(new Refusal('unsupported_media_type', 'Send the body as application/json in UTF-8.'))
    }
    // Many clients send this type with every request. Where a body is required, an empty one is malformed.
    if (body.length === 0 && mayLackBody(request.routeOptions.schema?.body)) return done(null)
    try {
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}
