import { errorCodes } from '../rules/error-codes.ts'
import { operatorMark } from '../http/access/operator-mark.ts'
import { exitCodes, Failure, type Problem } from './failure.ts'

/** An answer of the service: its JSON text as received, and its content. */
export type Answer<T> = { readonly text: string; readonly body: T }

export type Sent = {
  readonly method?: string
  readonly body?: string | FormData | null
  readonly headers?: Readonly<Record<string, string>>
  readonly withinMs?: number
}

/** Longer than the service's own limit for a request. */
const timeoutMs = 60_000

/** What to do after a refusal whose own words do not say it. */
const hintOf = (code: string): string | undefined =>
  code in errorCodes ? errorCodes[code as keyof typeof errorCodes].cli : undefined

const toFailure = (problem: Problem): Failure => {
  const hint = hintOf(problem.code)
  return new Failure(hint === undefined ? problem : { ...problem, hint })
}

const unreachable = (url: string, error: unknown, withinMs: number): Failure => {
  if (error instanceof Error && error.name === 'TimeoutError') {
    const said = `${url} did not answer within ${withinMs / 1000} seconds.`
    return new Failure([`${said} The change may have been made: check before you repeat it.`], exitCodes.unanswered)
  }
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection'
  return new Failure(
    [`Nothing answers at ${url} (${code}). Start the service with npm start, or name it with --url or PAYIN_URL.`],
    exitCodes.unanswered,
  )
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'title' in body

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a request with the operator's token; a Failure says why nothing answers. */
export const sendRequest = async (
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
  { method = 'GET', body = null, headers: more, withinMs = timeoutMs }: Sent,
): Promise<Response> => {
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const headers = { authorization: `Bearer ${token}`, ...type, ...more }
  const signal = AbortSignal.timeout(withinMs)
  return fetch(url + path, { method, body, headers, signal, redirect: 'manual' }).catch((error: unknown) => {
    throw unreachable(url, error, withinMs)
  })
}

/** Whether the operator API has answered as it should. */
export const isOurs = (response: Response): boolean => {
  const [name, value] = operatorMark
  return response.ok && response.headers.get(name) === value
}

/** Reads an answer of the operator API; throws its refusal, and a Failure for what is not one of Payin. */
export const readAnswer = async <T>(response: Response): Promise<Answer<T>> => {
  const text = await response.text()
  const body = parse(text)
  if (isOurs(response) && body !== undefined) return { text, body: body as T }
  if (!response.ok && isProblem(body)) throw toFailure(body)
  throw new Failure(
    [`${new URL(response.url).origin} answers ${response.status}, but not as Payin does: check --url or PAYIN_URL.`],
    exitCodes.unanswered,
  )
}
