import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import AjvCompiler from '@fastify/ajv-compiler'
import { errorsDocument } from '../../scripts/describe-api.ts'
import { rolesDocument, russianRolesDocument } from '../../scripts/describe-roles.ts'
import { openApiDocument } from '../../scripts/generate.ts'
import { exampleOf } from '../../site/describe-schema.ts'
import type { Schema } from '../../site/openapi-document.ts'
import { errorCodes } from '../../src/rules/error-codes.ts'
import { openChecks, withReferences } from '../support/api-document.ts'
import { cloneEmbedded } from '../support/templates.ts'

const root = resolve(import.meta.dirname, '..', '..')
const document = cloneEmbedded().then(openApiDocument)

/** The document with what it refers to in place of its references. */
const resolved = async (): Promise<unknown> => {
  const whole = JSON.parse(await document) as object
  return withReferences(whole, whole)
}

test('the committed OpenAPI document is the one that the service serves (npm run generate)', async () => {
  const committed: unknown = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'))
  assert.deepEqual(committed, JSON.parse(await document))
})

test('the committed lists of error codes and roles are generated (npm run generate)', async () => {
  assert.equal(readFileSync(join(root, 'docs', 'roles.md'), 'utf8'), rolesDocument(await document))
  assert.equal(readFileSync(join(root, 'docs', 'ru', 'roles.md'), 'utf8'), russianRolesDocument(await document))
  assert.equal(readFileSync(join(root, 'docs', 'errors.md'), 'utf8'), errorsDocument())
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
  const { paths } = (await resolved()) as { paths: Record<string, Record<string, Operation>> }
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
  const { paths } = (await resolved()) as { paths: Record<string, Record<string, Operation>> }
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
  const { paths } = (await resolved()) as { paths: Record<string, Record<string, Operation>> }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const schemas = operations
    .flatMap(({ parameters, requestBody }) => [...(parameters ?? []), ...Object.values(requestBody?.content ?? {})])
    .flatMap(({ schema }) => (schema ? [schema] : []))
  const compile = AjvCompiler()({}, { customOptions: {} }) as unknown as (route: object) => unknown
  assert.ok(schemas.length > 200, String(schemas.length))
  for (const schema of schemas) assert.doesNotThrow(() => compile({ schema }), JSON.stringify(schema))
})

type Media = { schema?: object; examples?: Record<string, { $ref: string }> }
type Described = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: { name: string; description?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}
type Whole = {
  tags: { name: string }[]
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, Record<string, Described>>
  components: {
    responses: Record<string, { content: Record<string, Media> }>
    examples: Record<string, { value: unknown }>
  }
}

const operationsIn = ({ paths, webhooks }: Whole): [path: string, method: string, operation: Described][] =>
  [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]): [string, string, Described] => [path, method, each]),
  )

test('every operation has a name of its own, a summary, a description and a declared tag', async () => {
  const whole = JSON.parse(await document) as Whole
  const operations = operationsIn(whole)
  const lacking = operations.filter(([, , { summary, description }]) => !summary || !description)
  assert.deepEqual(
    lacking.map(([, , { operationId }]) => operationId),
    [],
  )
  assert.equal(new Set(operations.map(([, , { operationId }]) => operationId)).size, operations.length)
  const used = new Set(operations.flatMap(([, , { tags }]) => tags))
  assert.deepEqual([...used].toSorted(), whole.tags.map(({ name }) => name).toSorted())
})

test('nothing in the document leads into the source of the service', async () => {
  assert.deepEqual([...(await document).matchAll(/.{0,60}(?:\bdocs\/|\bsrc\/|§|\.ts\b).{0,20}/g)].map(String), [])
})

test('every parameter says what it is', async () => {
  const lacking = operationsIn((await resolved()) as Whole).flatMap(([, , { operationId, parameters = [] }]) =>
    parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
  )
  assert.deepEqual(lacking, [])
})

test('every schema accepts its own examples', async () => {
  const whole = JSON.parse(await document) as Whole
  const checkOf = openChecks(whole)
  const wrong: string[] = []
  let checked = 0
  const visit = (part: unknown, path: readonly string[]): void => {
    if (typeof part !== 'object' || part === null || path.at(-1) === 'examples') return
    const { examples } = part as { examples?: unknown }
    for (const example of Array.isArray(examples) ? examples : []) {
      if (!checkOf(path)(example)) wrong.push(`${path.join(' ')}: ${JSON.stringify(example)}`)
      checked++
    }
    for (const [name, each] of Object.entries(part)) visit(each, [...path, name])
  }
  visit(whole, [])
  assert.deepEqual(wrong, [])
  assert.ok(checked > 500, String(checked))
})

test('the examples of merchants in the documentation are made of those of the schemas, which accept them', async () => {
  const whole = JSON.parse(await document) as Whole
  const checkOf = openChecks(whole)
  let checked = 0
  const compare = (where: readonly string[], content: Record<string, Media> = {}): void => {
    const schema = content['application/json']?.schema
    if (!schema) return
    const example = exampleOf(withReferences(schema, whole) as Schema, !where.includes('requestBody'))
    const check = checkOf([...where, 'content', 'application/json', 'schema'])
    assert.ok(check(example), `${where.join(' ')}: ${JSON.stringify(example)}: ${JSON.stringify(check.errors)}`)
    assert.doesNotMatch(JSON.stringify(example), /"…"/, `${where.join(' ')} has a text without an example`)
    checked++
  }
  for (const [path, method, operation] of operationsIn(whole)) {
    if (path.startsWith('/api/v1/operator/')) continue
    const where = [path in whole.paths ? 'paths' : 'webhooks', path, method]
    compare([...where, 'requestBody'], operation.requestBody?.content)
    for (const [status, { content }] of Object.entries(operation.responses))
      compare([...where, 'responses', status], content)
  }
  assert.ok(checked > 50, String(checked))
})

test('every refusal has examples that its schema accepts, one for each of its codes', async () => {
  const whole = JSON.parse(await document) as Whole
  const checkOf = openChecks(whole)
  for (const [name, { content }] of Object.entries(whole.components.responses)) {
    const check = checkOf(['components', 'responses', name, 'content', 'application/problem+json', 'schema'])
    const examples = Object.keys(content['application/problem+json']?.examples ?? {})
    assert.deepEqual(examples, name.split('.').slice(1))
    for (const code of examples)
      assert.ok(check(whole.components.examples[code]?.value), `${name}: ${code} ${JSON.stringify(check.errors)}`)
  }
})

test('a shape of an object that several operations have is described once', async () => {
  const whole = JSON.parse(await document) as Whole
  const found = new Map<string, Set<string>>()
  const visit = (part: unknown, operation: string, member = ''): void => {
    if (typeof part !== 'object' || part === null || member === 'example' || member === 'examples') return
    const text = JSON.stringify(part)
    // What is short, such as an answer with one id, says more where it is.
    if ((part as { properties?: unknown }).properties && text.length > 450)
      found.set(text, (found.get(text) ?? new Set()).add(operation))
    for (const [name, each] of Object.entries(part)) visit(each, operation, name)
  }
  for (const [, , operation] of operationsIn(whole)) visit(operation, operation.operationId)
  const repeated = [...found].filter(([, operations]) => operations.size > 1)
  assert.deepEqual(
    repeated.map(([text, operations]) => `${[...operations].join()}: ${text.slice(0, 200)}`),
    [],
  )
})
