import type { FastifyDynamicSwaggerOptions, SwaggerTransformObject } from '@fastify/swagger'
import { mayLackBody } from './may-lack-body.ts'
import { describeNotifications } from './notifications/describe-notifications.ts'

type Operation = { requestBody?: { required?: boolean; content: Record<string, { schema?: unknown }> } }

/** The generator takes every body for required, and knows no webhooks: this tells the one and the other. */
const finish: SwaggerTransformObject = (document) => {
  if (!('openapiObject' in document)) return document.swaggerObject
  const { openapiObject } = document
  const operations = Object.values(openapiObject.paths ?? {}).flatMap(
    (path) => Object.values(path ?? {}) as Operation[],
  )
  for (const { requestBody } of operations) {
    const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
    if (requestBody && schemas.every(mayLackBody)) requestBody.required = false
  }
  return { ...openapiObject, webhooks: describeNotifications() }
}

/** Settings of the generated OpenAPI 3.1 document: what is validated is what is documented. */
export const openApiOptions = (publicUrl: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Payin',
      version: '1.0.0',
      description:
        "Merchant payment acceptance. All requests of the merchant API are made from the merchant's server with a bearer token.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'payments', description: 'The merchant API.' },
      { name: 'notifications', description: 'What a merchant is told: endpoints, deliveries, the feed of events.' },
      { name: 'balance', description: 'What the merchant is owed, and what was paid out.' },
      { name: 'sandbox', description: 'Simulated money for sandbox merchants.' },
      { name: 'operator', description: 'What the operator of the service does.' },
      { name: 'feeds', description: 'What banks, and systems in between, push.' },
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
            '`v1=` and the hex HMAC-SHA-256 of `payin-timestamp`, a dot and the body, with the key of the source.',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'Operator token.' },
      },
    },
  },
  transformObject: finish,
  refResolver: {
    buildLocalReference: (json, _base, _fragment, index) =>
      typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`,
  },
})
