// Compares every answer of every service in a test process with the OpenAPI document.
import { channel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiDocument, openChecks } from './api-document.ts'

/** Logged for an answer that the OpenAPI document does not describe. */
export const undescribedAnswer = 'docs/openapi.json does not describe this answer; is it old? npm run generate'

type Answer = { readonly $ref?: string; readonly content?: Readonly<Record<string, object>> }
type Operation = { readonly responses: Readonly<Record<string, Answer>> }

const { paths, components } = apiDocument as {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { responses: Readonly<Record<string, Answer>> }
}

const checkOf = openChecks()

const problemPlace = ['components', 'schemas', 'Problem']

const jsonOf = (payload: unknown): { value: unknown } | undefined =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? { value: JSON.parse(String(payload)) } : undefined

const violations = (place: readonly string[], payload: unknown): string | undefined => {
  const json = jsonOf(payload)
  if (!json) return undefined
  const check = checkOf(place)
  return check(json.value) ? undefined : `${JSON.stringify(check.errors)} in ${JSON.stringify(json.value)}`
}

/** What is wrong with an answer; undefined if nothing is. */
const wrongWith = (request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined => {
  const [type = ''] = String(reply.getHeader('content-type') ?? '').split(';')
  const path = (request.routeOptions.url ?? '').replace(/:(\w+)/g, '{$1}')
  const method = request.method.toLowerCase()
  const operation = paths[path]?.[method]
  const isEmpty =
    reply.statusCode === 304 || payload === undefined || payload === null || payload === '' || method === 'head'
  if (!operation) return type === 'application/problem+json' && !isEmpty ? violations(problemPlace, payload) : undefined
  const status = String(reply.statusCode)
  const declared = operation.responses[status]
  if (!declared) return `${status} is not declared`
  const name = declared.$ref?.split('/').at(-1)
  const { content } = name === undefined ? declared : (components.responses[name] ?? {})
  if (isEmpty) return content ? `${status} has no body` : undefined
  if (!content?.[type]) return `${status} has the undeclared type ${type}`
  if (!type.endsWith('json')) return undefined
  const place = name === undefined ? ['paths', path, method, 'responses', status] : ['components', 'responses', name]
  return violations([...place, 'content', type, 'schema'], payload)
}

channel('fastify.initialization').subscribe((message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const wrong = wrongWith(request, reply, payload)
    if (wrong !== undefined) request.log.warn({ route: request.routeOptions.url, wrong }, undescribedAnswer)
    done()
  })
})
