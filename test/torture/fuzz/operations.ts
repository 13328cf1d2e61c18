// The operations of the OpenAPI document, and whether an answer is one that it declares.
import AjvCompiler from '@fastify/ajv-compiler'
import { apiDocument, withReferences } from '../../support/api-document.ts'

/** A JSON schema, as far as the fuzzer reads it. */
export type Schema = {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
}

type Media = { readonly schema: Schema }

type DeclaredAnswer = { readonly content?: Readonly<Record<string, Media>> }

/** One operation, with what it takes and what it may answer. */
export type Operation = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly security: 'merchant' | 'operator' | 'feed' | 'phone' | undefined
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly bodies: Readonly<Record<string, Media>> | undefined
  readonly answers: Readonly<Record<string, DeclaredAnswer>>
}

/** An answer as it came. */
export type Received = {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: unknown
}

type Document = {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
}

type DocumentOperation = {
  readonly operationId?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: Operation['parameters']
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Operation['answers']
}

const document = withReferences(apiDocument) as Document

const problem = document.components.schemas['Problem'] as Schema

/** All operations of docs/openapi.json. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, declared]) => ({
    id: declared.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    security: Object.keys(declared.security?.[0] ?? {})[0] as Operation['security'],
    parameters: declared.parameters ?? [],
    bodies: declared.requestBody?.content,
    answers: declared.responses,
  })),
)

const compile = AjvCompiler()(
  {},
  { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
) as unknown as (route: object) => ((value: unknown) => boolean) & { errors?: unknown }

const validators = new WeakMap<object, ReturnType<typeof compile>>()

const violationOf = (schema: Schema, value: unknown): string | undefined => {
  const validate = validators.get(schema) ?? compile({ schema })
  validators.set(schema, validate)
  return validate(value) ? undefined : JSON.stringify(validate.errors)
}

/** 503 is an answer only where the service says when to come back. Without a fault, the database is not out of reach. */
const mayFail = ({ status, headers, body }: Received, underFault: boolean): boolean => {
  const { code } = (body ?? {}) as { code?: string }
  const isHonest = status === 503 && /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  // HEAD has no body.
  return isHonest && (underFault || body === '' || code === 'rate_unavailable' || code === 'overloaded')
}

/** More than the hundred wrong fields that a refusal names; what it quotes of the request must be short. */
const longestProblem = 25_000

const wrongProblem = ({ status, headers, body }: Received): string | undefined => {
  if (!(headers.get('content-type') ?? '').startsWith('application/problem+json')) return 'is not a problem document'
  const violation = violationOf(problem, body)
  if (violation !== undefined) return `is not a whole problem document: ${violation}`
  const length = JSON.stringify(body).length
  if (length > longestProblem) return `is a problem document of ${length} characters`
  return (body as { status: number }).status === status ? undefined : 'is a problem document of another status'
}

/** What is wrong with an answer that belongs to no operation: only refusals are right, and pages. */
export const wrongWithoutOperation = (answer: Received, underFault = false): string | undefined => {
  if (answer.status >= 500 && !mayFail(answer, underFault)) return `${answer.status}`
  // HEAD has no body.
  if (answer.status < 400 || answer.body === '' || (answer.headers.get('content-type') ?? '').startsWith('text/html'))
    return undefined
  return wrongProblem(answer)
}

/** What is wrong with the answer of an operation: a status, a type or a body that its declaration does not have. */
export const wrongAnswer = (operation: Operation, answer: Received, underFault = false): string | undefined => {
  const { status, headers, body } = answer
  if (operation.security && status >= 500 && !mayFail(answer, underFault)) return `${status}`
  const declared = operation.answers[String(status)]
  if (!declared) return `${status} is not declared`
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  if (!declared.content) return body === '' ? undefined : `${status} has a body`
  const media = declared.content[type]
  if (!media) return `${status} has the undeclared type ${type}`
  if (status >= 400 && operation.security) return wrongProblem(answer)
  if (!type.includes('json')) return undefined
  const violation = violationOf(media.schema, body)
  return violation === undefined ? undefined : `${status} breaks its schema: ${violation}`
}
