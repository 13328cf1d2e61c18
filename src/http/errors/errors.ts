import { describePattern } from '../../operations/schema.ts'
import { Refusal, type RefusalCode } from '../../rules/refusal.ts'
import { errorCodes, type fieldCodes } from '../../rules/error-codes.ts'

/** The response to a refused request: `application/problem+json` (RFC 9457) with its status and headers. */
export type ProblemAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

const bearer = (code: RefusalCode): string =>
  code === 'token_missing'
    ? 'Bearer realm="payin"'
    : `Bearer realm="payin", error="invalid_token", error_description="${code}"`

/** Turns a refusal into its response. */
export const toProblem = (refusal: Refusal, requestId: string): ProblemAnswer => {
  const { status, title } = errorCodes[refusal.code]
  const { errors, retryAfterSeconds, extra } = refusal.details
  return {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(status === 401 ? { 'www-authenticate': bearer(refusal.code) } : {}),
    },
    body: {
      type: `urn:payin:problem:${refusal.code}`,
      title,
      status,
      detail: refusal.message,
      code: refusal.code,
      requestId,
      ...(errors ? { errors } : {}),
      ...extra,
    },
  }
}

type FrameworkError = {
  readonly code?: string
  readonly statusCode?: number
  readonly validation?: readonly ValidationIssue[]
  readonly validationContext?: string
}

type ValidationIssue = {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** Longest field name that a refusal repeats, in characters: the client chose it, and it may be as long as the body. */
const maxNameLength = 60

const shortName = (name: string): string => {
  const characters = [...name.slice(0, 2 * maxNameLength + 2)]
  return characters.length <= maxNameLength ? name : `${characters.slice(0, maxNameLength).join('')}…`
}

const fieldOf = (issue: ValidationIssue): string => {
  const path = issue.instancePath.split('/').slice(1)
  const own = issue.params['missingProperty'] ?? issue.params['additionalProperty']
  return [...path, ...(typeof own === 'string' ? [own] : [])].map(shortName).join('.')
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'must be a time with its zone, such as 2026-01-31T12:30:00Z.',
  uuid: 'must be an id (UUID).',
  uri: 'must be an address, such as https://shop.example.com/.',
}

const types: Readonly<Record<string, string>> = {
  string: 'must be a text, in quotes.',
  number: 'must be a number, without quotes.',
  integer: 'must be a whole number, without quotes.',
  boolean: 'must be true or false, without quotes.',
  object: 'must be an object.',
  array: 'must be a list.',
}

/** What a value must be, by the keyword of its schema that it violates. Other keywords keep the validator's message. */
const messages: Readonly<Record<string, (params: ValidationIssue['params']) => string>> = {
  type: ({ type }) => types[String(type)] ?? 'must have the documented type.',
  pattern: ({ pattern }) => describePattern(pattern) ?? 'does not have the documented form.',
  format: ({ format }) => formats[String(format)] ?? 'does not have the documented form.',
  minProperties: () => 'must have at least one field.',
  maxProperties: ({ limit }) => `must have at most ${String(limit)} fields.`,
  uniqueItems: () => 'must not contain the same item twice.',
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty.' : `must have at least ${String(limit)} characters.`),
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters.`,
}

const messageOf = (issue: ValidationIssue): string => {
  if (issue.keyword === 'required') return 'is required.'
  if (issue.keyword === 'additionalProperties') return 'is not a known field.'
  if (issue.keyword === 'enum' || issue.keyword === 'const') {
    const allowed = issue.params['allowedValues'] ?? [issue.params['allowedValue']]
    return `must be one of: ${(allowed as unknown[]).join(', ')}.`
  }
  return messages[issue.keyword]?.(issue.params) ?? `${issue.message ?? 'is not valid'}.`
}

// A value that matches none of several alternatives is reported for the first of them only.
const isNoise = (issue: ValidationIssue): boolean =>
  issue.keyword === 'anyOf' || /\/anyOf\/[1-9]/.test(issue.schemaPath)

const codeOf = ({ keyword }: ValidationIssue): (typeof fieldCodes)[number] => {
  if (keyword === 'additionalProperties') return 'unknown_field'
  return keyword === 'required' ? 'required' : 'invalid'
}

/** Most wrong fields that one refusal names. */
const maxErrors = 100

const fromValidation = (issues: readonly ValidationIssue[], where: string): Refusal => {
  const useful = issues.filter((issue) => !isNoise(issue))
  const errors = (useful.length > 0 ? useful : issues).map((issue) => ({
    field: fieldOf(issue),
    code: codeOf(issue),
    message: messageOf(issue),
  }))
  const unique = errors
    .slice(0, maxErrors)
    .filter((error, index) => errors.findIndex((other) => other.field === error.field) === index)
  const names = unique.map((error) => `${error.field || where} ${error.message}`).join(' ')
  return new Refusal('validation_failed', names, { errors: unique })
}

const mostOf = (bytes: number | undefined): string => {
  if (bytes === undefined) return ''
  return bytes < 1024 * 1024 ? `: ${bytes / 1024} KiB` : `: ${bytes / 1024 / 1024} MB`
}

/**
 * Turns any error into a refusal. `bodyLimit` is the operation's largest body in bytes, for the message of
 * `payload_too_large`. An unknown error becomes `internal_error`, which reveals nothing.
 */
export const toRefusal = (error: unknown, bodyLimit?: number): Refusal => {
  if (error instanceof Refusal) return error
  const { code = '', statusCode = 500, validation, validationContext } = error as FrameworkError
  if (validation) return fromValidation(validation, validationContext ?? 'request')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal('payload_too_large', `The body is larger than this operation accepts${mostOf(bodyLimit)}.`)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Refusal('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new Refusal('validation_failed', 'Content-Length does not match the body.')
  if (code === 'FST_ERR_BAD_URL') return new Refusal('validation_failed', 'The address is not well-formed.')
  if (code === 'FST_ERR_MAX_PARAM_LENGTH' || statusCode === 414)
    return new Refusal('route_not_found', 'The address is too long.')
  if (statusCode >= 400 && statusCode < 500) return new Refusal('validation_failed', 'The request is not valid.')
  return new Refusal('internal_error', 'Something went wrong on our side; you may repeat the request.')
}
