import type { Static } from 'typebox'
import { errorCodes } from '../../../src/rules/error-codes.ts'
import type { Problem } from '../../../src/http/errors/problems.ts'
import { askForVerification } from '../verification.ts'
import { say } from '../language.ts'
import { problemText } from './problem-text.ts'

type ProblemDocument = Static<typeof Problem>

/** A request that the service refused, or that got no response. */
export class ApiProblem extends Error {
  /** Status of the response; 0 if there was none. */
  readonly status: number
  readonly code: string | undefined
  /** What the person can do about it. */
  readonly remedy: string | undefined
  readonly requestId: string | undefined
  /** Every field that was wrong. */
  readonly fields: NonNullable<ProblemDocument['errors']>
  /** The refused statement, if the request uploaded one. */
  readonly statementId: string | undefined

  constructor(status: number, message: string, document?: Partial<ProblemDocument>) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.code = document?.code
    this.requestId = document?.requestId
    this.fields = document?.errors ?? []
    this.statementId = document?.statementId
    const known: Readonly<Record<string, { readonly remedy: string }>> = errorCodes
    this.remedy = status === 0 ? 'Check the connection. The page keeps trying.' : known[document?.code ?? '']?.remedy
  }
}

/** Values of a query; those that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | undefined>>

const base = '/api/v1/operator'

/** The address of an operation: a path of the operator API, or a whole one (`/api/…`) of another API. */
export const addressOf = (path: string, query: Query = {}): string => {
  const isWhole = path.startsWith('/api/')
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const text = new URLSearchParams(given).toString()
  return `${isWhole ? '' : base}${path}${text === '' ? '' : `?${text}`}`
}

/** More digits than a JavaScript number can be sure to keep. */
const longNumber = /^-?[\d.]{17,}$/

/**
 * Reads a response. An amount with too many digits for a number becomes the text that the service sent: the components
 * that show amounts accept both.
 */
const readJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && longNumber.test(context?.source ?? '') ? context?.source : value,
  )

/** The problem in a response's text, as far as the service wrote it. */
const problemOf = (text: string): Partial<ProblemDocument> | undefined => {
  try {
    return JSON.parse(text) as Partial<ProblemDocument>
  } catch {
    // A proxy has responded, not the service.
    return undefined
  }
}

/** The value of a response. Throws an `ApiProblem` if the service refused. */
export const readAnswer = (status: number, text: string): unknown => {
  if (status >= 200 && status < 300) return text === '' ? undefined : readJson(text)
  const document = problemOf(text)
  const detail = document?.detail ?? `The service responded with status ${status}.`
  throw new ApiProblem(status, problemText(detail, document?.errors ?? [], say), document)
}

/** A header that other sites cannot send: by it the service knows that the console sent the request. */
export const ownHeader = ['x-payin-console', '1'] as const

type Sent = { readonly query?: Query; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

const send = async <Answer>(method: string, path: string, sent: Sent): Promise<Answer> => {
  const { query, body, headers } = sent
  const response = await fetch(addressOf(path, query), {
    method,
    headers: {
      [ownHeader[0]]: ownHeader[1],
      ...(body === undefined ? {} : { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new ApiProblem(0, `The service did not answer (${error instanceof Error ? error.message : 'no reason'}).`)
  })
  const text = await response.text()
  const isAsked = !response.ok && problemOf(text)?.code === 'verification_required'
  if (isAsked && (await askForVerification())) return send(method, path, sent)
  return readAnswer(response.status, text) as Answer
}

/** Calls of the operator API; they throw an `ApiProblem`. */
export const api = {
  get: <Answer>(path: string, query: Query = {}): Promise<Answer> => send('GET', path, { query }),
  post: <Answer>(path: string, body: unknown, headers: Sent['headers'] = {}): Promise<Answer> =>
    send('POST', path, { body, headers }),
  put: <Answer>(path: string, body: unknown): Promise<Answer> => send('PUT', path, { body }),
  patch: <Answer>(path: string, body: unknown): Promise<Answer> => send('PATCH', path, { body }),
  delete: <Answer>(path: string): Promise<Answer> => send('DELETE', path, {}),
}
