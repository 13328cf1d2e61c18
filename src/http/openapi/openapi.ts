import { errorCodes } from '../../rules/error-codes.ts'
import type { RefusalCode } from '../../rules/refusal.ts'
import { describeNotifications } from '../notifications/describe-notifications.ts'
import { info, operatorTagOf, securitySchemes, tags } from './about-api.ts'
import type { CollectedRoute } from './collect-routes.ts'
import { type Content, describeOperation, type Operation } from './describe-operation.ts'
import { nameSchemas } from './name-schemas.ts'
import { rateLimitHeaders, withRateLimits } from './rate-limit-headers.ts'
import { describeRefusals, problemExamples, problemHeaders } from '../errors/problems.ts'

type References = Record<string, { readonly $ref: string }>

/** The responses of a route's refusals, which many operations share: as references, and under their names in `shared`. */
const referToRefusals = (codes: ReadonlySet<RefusalCode>, shared: Map<string, Content>): References => {
  const byStatus = Map.groupBy([...codes].toSorted(), (code) => errorCodes[code].status)
  const references = [...byStatus].map(([status, own]) => {
    const name = [status, ...own].join('.')
    shared.set(name, describeRefusals(status, own) as Content)
    return [status, { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries(references) as References
}

/** Whether a merchant's token may ask for a route. */
export const isOfMerchants = ({ schema }: CollectedRoute): boolean =>
  schema.security?.some((each) => 'merchant' in each) ?? false

/** The OpenAPI 3.1 document of routes, from the schemas that validate their requests, with the parts that they use. */
export const openApiDocument = (routes: readonly CollectedRoute[], publicUrl: string): object => {
  const paths: Record<string, Record<string, Operation>> = {}
  const shared = new Map<string, Content>()
  for (const route of routes) {
    const { method, path, schema, refusals } = route
    paths[path] ??= {}
    const tag = operatorTagOf(path)
    const described = describeOperation({ ...schema, ...(tag !== undefined && { tags: [tag] }) })
    const responses = { ...described.responses, ...referToRefusals(refusals, shared) }
    const operation = { ...described, responses }
    paths[path][method] = isOfMerchants(route) ? withRateLimits(operation) : operation
  }
  const responses = Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  // JSON leaves out the properties that TypeBox adds to schemas for itself.
  const parts = JSON.parse(JSON.stringify({ paths, webhooks: describeNotifications(), responses })) as {
    paths: typeof paths
    webhooks: typeof paths
    responses: object
  }
  const { part, schemas } = nameSchemas(parts)
  const text = JSON.stringify([part, schemas])
  const used = <Value>(kind: string, all: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)))
  const schemes = new Set(routes.flatMap(({ schema }) => (schema.security ?? []).flatMap((each) => Object.keys(each))))
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: publicUrl, description: 'This installation.' }],
    tags: tags.filter(({ name }) => text.includes(`"tags":[${JSON.stringify(name)}]`)),
    paths: part.paths,
    webhooks: part.webhooks,
    components: {
      schemas,
      responses: part.responses,
      examples: used('examples', problemExamples),
      headers: used('headers', { ...problemHeaders, ...rateLimitHeaders }),
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => schemes.has(name))),
    },
  }
}
