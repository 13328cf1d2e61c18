import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import AjvCompiler from '@fastify/ajv-compiler'
import { errorsDocument, rolesDocument } from '../../scripts/describe-api.ts'
import { openApiDocument } from '../../scripts/generate.ts'
import { errorCodes } from '../../src/http/error-codes.ts'
import { cloneEmbedded } from '../support/templates.ts'

const root = resolve(import.meta.dirname, '..', '..')
const document = cloneEmbedded().then(openApiDocument)

test('the committed OpenAPI document is the one that the service serves (npm run generate)', async () => {
  const committed: unknown = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'))
  assert.deepEqual(committed, JSON.parse(await document))
})

test('the committed lists of error codes and roles are generated (npm run generate)', async () => {
  assert.equal(readFileSync(join(root, 'docs', 'roles.md'), 'utf8'), rolesDocument(await document))
  assert.equal(readFileSync(join(root, 'docs', 'errors.md'), 'utf8'), errorsDocument(await document))
})

test('every error code occurs in an operation', async () => {
  const { components } = JSON.parse(await document) as { components: { responses: Record<string, unknown> } }
  const used = new Set(Object.keys(components.responses).flatMap((name) => name.split('.').slice(1)))
  assert.deepEqual([...used].toSorted(), Object.keys(errorCodes).toSorted())
})

test('every operation of the contract is in the OpenAPI document, with its method', async () => {
  const { paths } = JSON.parse(await document) as { paths: Record<string, Record<string, unknown>> }
  const prefix = '/api/v1/merchant/payments'
  const operations: [string, string][] = [
    ['get', `${prefix}/currencies`],
    ['post', prefix],
    ['get', `${prefix}/byOrderId/{orderId}/status`],
    ['post', `${prefix}/byOrderId/ack`],
    ['get', `${prefix}/byOrderId/{orderId}`],
  ]
  for (const [method, path] of operations) assert.ok(paths[path]?.[method], `${method} ${path}`)
})

test('a body is required in the OpenAPI document unless the operation accepts none', async () => {
  type Operation = { requestBody?: { required: boolean } }
  const { paths } = JSON.parse(await document) as { paths: Record<string, Record<string, Operation>> }
  const isRequired = (path: string) => paths[`/api/v1/merchant${path}`]?.['post']?.requestBody?.required
  assert.equal(isRequired('/endpoints/{endpointId}/test'), false)
  assert.equal(isRequired('/endpoints/{endpointId}/rotate'), false)
  assert.equal(isRequired('/endpoints/{endpointId}/deliveries/{eventId}/redeliver'), false)
  assert.equal(isRequired('/endpoints/{endpointId}/redeliver'), true)
  assert.equal(isRequired('/endpoints'), true)
  assert.equal(isRequired('/payments'), true)
})

test('every operation declares what the server refuses before it, also those without a token', async () => {
  type Operation = { operationId?: string; summary: string; responses: Record<string, unknown> }
  const { paths } = JSON.parse(await document) as { paths: Record<string, Record<string, Operation>> }
  const without = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ responses }) => ['400', '408', '413', '415', '417', '431'].some((status) => !responses[status]))
  assert.deepEqual(
    without.map(({ summary }) => summary),
    [],
  )
})

test('what merchants are answered has the headers of the rate limit, and what may be sent again Retry-After', async () => {
  type Answer = { $ref?: string; headers?: Record<string, { $ref: string }> }
  const { paths, components } = JSON.parse(await document) as {
    paths: Record<string, { get?: { responses: Record<string, Answer> } }>
    components: { headers: object; responses: Record<string, Answer> }
  }
  const own = paths['/api/v1/merchant/payments']?.get?.responses['200']?.headers ?? {}
  assert.equal(own['RateLimit-Remaining']?.$ref, '#/components/headers/RateLimit-Remaining')
  assert.ok('RateLimit-Remaining' in components.headers)
  assert.deepEqual(paths['/api/v1/operator/payments']?.get?.responses['200']?.headers ?? {}, {})
  assert.ok(components.responses['429.rate_limited']?.headers?.['Retry-After'])
  assert.deepEqual(components.responses['404.route_not_found']?.headers, {})
})

test('an operation that takes an amount may refuse it with 422', async () => {
  type Body = { content?: Record<string, { schema?: { properties?: Record<string, unknown> } }> }
  type Operation = { operationId: string; requestBody?: Body; responses: Record<string, unknown> }
  const { paths } = JSON.parse(await document) as { paths: Record<string, Record<string, Operation>> }
  const without = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ requestBody }) => requestBody?.content?.['application/json']?.schema?.properties?.['amount'])
    .filter(({ responses }) => !responses['422'])
  assert.deepEqual(
    without.map(({ operationId }) => operationId),
    [],
  )
})

test('an operation that takes a file may refuse it with 429, because only few are sent at the same time', async () => {
  type Operation = { requestBody?: { content: object }; responses: object }
  const { paths } = JSON.parse(await document) as { paths: Record<string, Record<string, Operation>> }
  const taking = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ requestBody, responses }) =>
      'image/png' in (requestBody?.content ?? {}) ? [[path, '429' in responses]] : [],
    ),
  )
  assert.equal(taking.length, 2)
  for (const [path, isDeclared] of taking) assert.equal(isDeclared, true, `${path}`)
})

test('every schema of a request compiles, though the service compiles it when it is first used', async () => {
  type Content = { schema?: object }
  type Operation = { parameters?: Content[]; requestBody?: { content: Record<string, Content> } }
  const { paths } = JSON.parse(await document) as { paths: Record<string, Record<string, Operation>> }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const schemas = operations
    .flatMap(({ parameters, requestBody }) => [...(parameters ?? []), ...Object.values(requestBody?.content ?? {})])
    .flatMap(({ schema }) => (schema ? [schema] : []))
  const compile = AjvCompiler()({}, { customOptions: {} }) as unknown as (route: object) => unknown
  assert.ok(schemas.length > 200, String(schemas.length))
  for (const schema of schemas) assert.doesNotThrow(() => compile({ schema }), JSON.stringify(schema))
})
