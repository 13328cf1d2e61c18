import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'

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
      { name: 'balance', description: "The merchant's money: an extension beyond the contract." },
      { name: 'sandbox', description: 'Simulated money for sandbox merchants.' },
      { name: 'operator', description: 'What the operator of the service does.' },
      { name: 'health', description: 'State of the process.' },
    ],
    components: {
      securitySchemes: {
        merchant: { type: 'http', scheme: 'bearer', description: 'Access token `payin_live_…` or `payin_test_…`.' },
        operator: {
          type: 'http',
          scheme: 'bearer',
          description: 'Operator token. The header `Payin-Operator` names who acts; `operator` unless told.',
        },
      },
    },
  },
  refResolver: {
    buildLocalReference: (json, _base, _fragment, index) =>
      typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`,
  },
})
