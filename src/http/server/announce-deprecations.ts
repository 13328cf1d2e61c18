import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { minute } from '../../rules/time.ts'
import type { App } from '../routes/app.ts'

/** What merchants should stop using: an operation, or a field of its body or query. */
export type Deprecation = {
  /** The name of the operation. */
  readonly operation: string
  /** The deprecated field; without one, the whole operation is deprecated. */
  readonly field?: string
  /** The day since which it is deprecated, such as `2026-12-01`. */
  readonly since: string
  /** The day from which it may be gone, at least a year after `since`. */
  readonly sunset: string
  /** What to use instead, in a sentence. */
  readonly instead: string
  /** The page that explains it. */
  readonly link: string
}

/** Everything deprecated. Headers, the OpenAPI document, the reference at `/docs` and the log follow from this list. */
const deprecations: readonly Deprecation[] = []

type Fields = { readonly properties?: Readonly<Record<string, object>> }
type Marked = { deprecated?: boolean; description?: string; body?: unknown; querystring?: unknown }

const wordsOf = ({ since, sunset, instead }: Deprecation): string =>
  `Deprecated since ${since}, and may be gone from ${sunset} on. ${instead}`

const markField = (part: unknown, deprecation: Deprecation): unknown => {
  const { properties } = (part ?? {}) as Fields
  const field = properties?.[deprecation.field ?? '']
  if (!field) return part
  const { description } = field as { description?: string }
  // A copy, because operations may share the schema of a field.
  const marked = {
    ...field,
    deprecated: true,
    description: [description, wordsOf(deprecation)].filter(Boolean).join(' '),
  }
  return { ...(part as object), properties: { ...properties, [deprecation.field ?? '']: marked } }
}

const mark = (schema: Marked, deprecation: Deprecation): void => {
  if (deprecation.field === undefined) {
    schema.deprecated = true
    schema.description = [wordsOf(deprecation), schema.description].filter(Boolean).join('\n\n')
    return
  }
  for (const part of ['body', 'querystring'] as const)
    if (schema[part] !== undefined) schema[part] = markField(schema[part], deprecation)
}

const isUsed = ({ body, query }: FastifyRequest, { field }: Deprecation): boolean =>
  field === undefined ||
  [body, query].some((part) => typeof part === 'object' && part !== null && Object.hasOwn(part, field))

const headersOf = (used: readonly Deprecation[]): Record<string, string> => {
  const earliest = (days: readonly string[]): number => Math.min(...days.map((day) => Date.parse(day)))
  return {
    deprecation: `@${earliest(used.map(({ since }) => since)) / 1000}`,
    sunset: new Date(earliest(used.map(({ sunset }) => sunset))).toUTCString(),
    link: used.map(({ link }) => `<${link}>; rel="deprecation"; type="text/html"`).join(', '),
  }
}

/**
 * Marks deprecated operations and fields in the schemas of all routes that are added after this call. The response to
 * each use of one has the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, and the use is logged at
 * most once a minute per merchant. Adds no hooks while nothing is deprecated.
 */
export const announceDeprecations = (
  app: App,
  { log, ticks }: { readonly log: Pick<FastifyBaseLogger, 'info'>; readonly ticks: () => number },
  declared: readonly Deprecation[] = deprecations,
): void => {
  if (declared.length === 0) return
  const byOperation = Map.groupBy(declared, ({ operation }) => operation)
  const loggedAt = new Map<string, number>()
  app.addHook('onRoute', ({ config, schema }) => {
    for (const each of byOperation.get(config?.operation ?? '') ?? []) if (schema) mark(schema, each)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const used = byOperation.get(request.routeOptions.config.operation ?? '')?.filter((each) => isUsed(request, each))
    if (!used || used.length === 0) return done()
    void reply.headers(headersOf(used))
    const merchantId = (request.caller as FastifyRequest['caller'] | undefined)?.merchantId
    for (const { operation, field, sunset } of used) {
      const key = [operation, field, merchantId].join(' ')
      if (ticks() - (loggedAt.get(key) ?? -Infinity) < minute) continue
      if (loggedAt.size > 10_000) loggedAt.clear()
      loggedAt.set(key, ticks())
      log.info({ operation, field, merchantId, sunset }, 'deprecated')
    }
    done()
  })
}
