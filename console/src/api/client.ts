import type { Static } from 'typebox'
import { errorCodes } from '../../../src/http/error-codes.ts'
import type { Problem } from '../../../src/http/problems.ts'
import { askForVerification } from '../verification.ts'

type ProblemDocument = Static<typeof Problem>

/** A request that the service refused, or that did not reach it. */
export class ApiProblem extends Error {
  /** Status of the answer; 0 where there was none. */
  readonly status: number
  readonly code: string | undefined
  /** What the person can do about it. */
  readonly remedy: string | undefined
  readonly requestId: string | undefined
  /** Every field that was wrong. */
  readonly fields: NonNullable<ProblemDocument['errors']>

  constructor(status: number, message: string, document?: Partial<ProblemDocument>) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.code = document?.code
    this.requestId = document?.requestId
    this.fields = document?.errors ?? []
    const known: Readonly<Record<string, { readonly remedy: string }>> = errorCodes
    this.remedy = status === 0 ? 'Check the connection. The page keeps asking.' : known[document?.code ?? '']?.remedy
  }
}

/** Values of a query; those that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | undefined>>

const base = '/api/v1/operator'

/** The address of an operation of the operator API, as links to exports have it. */
export const addressOf = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const text = new URLSearchParams(given).toString()
  return `${base}${path}${text === '' ? '' : `?${text}`}`
}

/** More digits than a number of JavaScript keeps for certain. */
const longNumber = /^-?[\d.]{17,}$/

/**
 * Reads an answer. An amount with too many digits for a number becomes the text that the service sent: what shows amounts
 * takes both.
 */
const readJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && longNumber.test(context?.source ?? '') ? context?.source : value,
  )

type Sent = { readonly query?: Query; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

const send = async <Answer>(method: string, path: string, sent: Sent): Promise<Answer> => {
  const { query, body, headers } = sent
  const response = await fetch(addressOf(path, query), {
    method,
    // What other sites cannot send: it tells the service that the request is the console's own.
    headers: {
      'x-payin-console': '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new ApiProblem(0, `The service did not answer (${error instanceof Error ? error.message : 'no reason'}).`)
  })
  const text = await response.text()
  if (response.ok) return (text === '' ? undefined : readJson(text)) as Answer
  let document: Partial<ProblemDocument> | undefined
  try {
    document = JSON.parse(text) as Partial<ProblemDocument>
  } catch {
    // A proxy has answered, not the service.
  }
  if (document?.code === 'verification_required' && (await askForVerification())) return send(method, path, sent)
  const fields = document?.errors?.map(({ field, message }) => `${field} ${message}`).join(' ')
  throw new ApiProblem(
    response.status,
    [document?.detail ?? `The answer was ${response.status}.`, fields].filter(Boolean).join(' '),
    document,
  )
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
