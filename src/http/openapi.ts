import type { FastifyDynamicSwaggerOptions, SwaggerTransformObject } from '@fastify/swagger'
import { mayLackBody } from './server/parse-bodies.ts'
import { describeNotifications } from './notifications/describe-notifications.ts'

type Operation = {
  requestBody?: { required?: boolean; content: Record<string, { schema?: unknown }> }
  responses: Record<string, unknown>
}

type Refused = {
  content?: {
    'application/problem+json'?: { schema: { allOf: [unknown, { properties: { code: { enum: string[] } } }] } }
  }
}

/** Moves the answers of refusals to the components: most operations refuse with the same codes. */
const shareRefusals = (operations: readonly Operation[]): Record<string, Refused> => {
  const shared: Record<string, Refused> = {}
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const codes = (response as Refused).content?.['application/problem+json']?.schema.allOf[1].properties.code.enum
      if (!codes) continue
      const name = [status, ...codes].join('.')
      shared[name] = response as Refused
      responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  return Object.fromEntries(Object.entries(shared).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds what the generator does not know: which bodies are optional, and the webhooks. */
const addBodiesAndWebhooks: SwaggerTransformObject = (document) => {
  if (!('openapiObject' in document)) return document.swaggerObject
  const { openapiObject } = document
  const operations = Object.values(openapiObject.paths ?? {}).flatMap(
    (path) => Object.values(path ?? {}) as Operation[],
  )
  for (const { requestBody } of operations) {
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
    if (requestBody && schemas.every(mayLackBody)) requestBody.required = false
  }
  const components = { ...openapiObject.components, responses: shareRefusals(operations) }
  return { ...openapiObject, components, webhooks: describeNotifications() } as typeof openapiObject
}

/** Settings of the OpenAPI 3.1 document, which is generated from the schemas that validate requests. */
export const openApiOptions = (publicUrl: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Payin',
      version: '1.0.0',
      description:
        "Merchant payment acceptance. The merchant API is called from the merchant's server with a bearer token.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'payments', description: 'The merchant API.' },
      {
        name: 'notifications',
        description: 'How a merchant learns of events: endpoints, deliveries, and the event feed.',
      },
      { name: 'balance', description: 'What is owed to the merchant, and what was paid out.' },
      { name: 'sandbox', description: 'Simulated money for sandbox merchants.' },
      { name: 'operator', description: 'The API of the operator of the service.' },
      { name: 'feeds', description: 'Transfers pushed by banks and by systems in between.' },
      { name: 'health', description: 'State of the process.' },
    ],
    components: {
      securitySchemes: {
        merchant: { type: 'http', scheme: 'bearer', description: 'Access token `payin_live_…` or `payin_test_…`.' },
        feed: {
          type: 'apiKey',
          in: 'header',
          name: 'payin-signature',
          description:
            '`v1=` followed by the hex HMAC-SHA-256 of `payin-timestamp`, a dot and the body, with the key of the source.',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'Operator token.' },
      },
    },
  },
  transformObject: addBodiesAndWebhooks,
  refResolver: {
    buildLocalReference: (json, _base, _fragment, index) =>
      typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`,
  },
})
