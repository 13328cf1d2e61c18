import { describeNotifications } from '../notifications/describe-notifications.ts'
import { info, operatorTagOf, securitySchemes, tags } from './about-api.ts'
import type { CollectedRoute } from './collect-routes.ts'
import { type Content, describeOperation, type Operation } from './describe-operation.ts'
import { nameSchemas } from './name-schemas.ts'
import { rateLimitHeaders, withRateLimits } from './rate-limit-headers.ts'
import { codesOfAnswer, problemExamples, problemHeaders, problems } from '../errors/problems.ts'

/** Moves the responses of refusals to the components, because many operations refuse with the same codes. */
const shareRefusals = (operations: readonly Operation[]): Record<string, Content> => {
  const shared: Record<string, Content> = {}
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const codes = codesOfAnswer(response)
      if (!codes) continue
      const name = [status, ...codes].join('.')
      shared[name] = response as Content
      responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  return Object.fromEntries(Object.entries(shared).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Whether a merchant's token may ask for a route. */
export const isOfMerchants = ({ schema }: CollectedRoute): boolean =>
  schema.security?.some((each) => 'merchant' in each) ?? false

/** The OpenAPI 3.1 document of routes, from the schemas that validate their requests, with the parts that they use. */
export const openApiDocument = (routes: readonly CollectedRoute[], publicUrl: string): object => {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const { method, path, schema, refusals } = route
    paths[path] ??= {}
    const tag = operatorTagOf(path)
    const response = { ...schema.response, ...problems(refusals) }
    const operation = describeOperation({ ...schema, response, ...(tag !== undefined && { tags: [tag] }) })
    paths[path][method] = isOfMerchants(route) ? withRateLimits(operation) : operation
  }
  const responses = shareRefusals(Object.values(paths).flatMap((methods) => Object.values(methods)))
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
