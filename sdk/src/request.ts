import { type Operations, operations } from './api.ts'
import { PayinConnectionError, PayinError } from './errors.ts'

/** The name of an operation, as in the OpenAPI document. */
export type Name = keyof Operations

/** The input of an operation: its `path`, `query` and `body`, as far as it has them. */
export type Input<N extends Name> = {
  [Part in 'path' | 'query' | 'body' as undefined extends Operations[N][Part] ? never : Part]: Part extends 'query'
    ? Operations[N][Part] | undefined
    : Operations[N][Part]
}

/** The answer of an operation. */
export type Answer<N extends Name> = Operations[N]['answer']

/** Settings of a client. */
export type Options = {
  /** Address of the Payin service, such as `https://pay.example.com`. */
  readonly baseUrl: string
  /** Access token of the merchant. Keep it on your server. */
  readonly token: string
  /** How often a request is repeated at most. Default: 4. */
  readonly retries?: number
  /** Milliseconds after which an attempt is given up. Default: 30 000. */
  readonly timeoutMs?: number
  /** Another `fetch`, for example with a proxy. Default: that of the platform. */
  readonly fetch?: typeof fetch
}

/** Settings of one call. */
export type CallOptions = {
  /** Aborts the call, its retries and its waiting. */
  readonly signal?: AbortSignal
  /** Milliseconds after which an attempt is given up, instead of the client's. */
  readonly timeoutMs?: number
}

/** Operations that change something and are safe to repeat, because of the `orderId`. */
const repeatable = new Set<Name>(['createPayment', 'acknowledgePayment'])

/** Statuses after which nothing was done, if the answer says when to try again. */
const isUndone = (status: number): boolean => status === 408 || status === 429 || status === 503

const longestPauseMs = 20_000

/** A growing pause with jitter, so that clients that failed together do not retry together. */
const pauseMs = (attempt: number): number => Math.min(longestPauseMs, 250 * 2 ** attempt) * (0.5 + Math.random() / 2)

const retryAfterMs = (headers: Headers): number | undefined => {
  const given = headers.get('retry-after')
  if (given === null) return undefined
  const seconds = Number(given)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** Waits; throws the signal's reason if it aborts. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, fail) => {
    const end = (): void => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      done()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })

type Parts = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly body?: unknown
}

/** The address of Payin, also if it was given with the beginning of all paths. */
const rootOf = (baseUrl: string): string => baseUrl.replace(/(?:\/api\/v1)?\/*$/, '')

const addressOf = (baseUrl: string, pattern: string, { path = {}, query = {} }: Parts): string => {
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString()
  return `${rootOf(baseUrl)}${filled}${search && `?${search}`}`
}

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> | Blob =>
  body instanceof Uint8Array || (typeof Blob !== 'undefined' && body instanceof Blob)

const contentOf = (body: unknown): { readonly type?: string; readonly content?: NonNullable<RequestInit['body']> } => {
  if (body === undefined) return {}
  if (!isBytes(body)) return { type: 'application/json', content: JSON.stringify(body) }
  return { type: (body instanceof Blob && body.type) || 'application/octet-stream', content: body }
}

const readAnswer = async (response: Response): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? ''
  // Files of banks have their own character sets.
  const [, charset = 'utf-8'] = /charset=([\w-]+)/.exec(type) ?? []
  const text = new TextDecoder(charset).decode(await response.arrayBuffer())
  if (!/\bjson\b/.test(type)) return text
  return JSON.parse(text)
}

const refusalOf = async (response: Response): Promise<PayinError> => {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    const location = response.headers.get('location') ?? 'another address'
    return new PayinError(response.status, {
      detail: `baseUrl redirects to ${location}: set it to the address of Payin`,
    })
  }
  const problem = await readAnswer(response).catch(() => ({}))
  return new PayinError(
    response.status,
    typeof problem === 'object' && problem !== null ? problem : {},
    retryAfterMs(response.headers),
  )
}

/** Checks the options: an environment variable that is not set arrives as `undefined`. */
const checkOptions = (options: Options): Options => {
  const { baseUrl, token }: Partial<Options> = options
  if (typeof baseUrl !== 'string' || !/^https?:\/\/[^/]/i.test(baseUrl))
    throw new TypeError(
      `baseUrl must be the address of Payin, such as https://pay.example.com, and is ${baseUrl || 'empty'}`,
    )
  if (typeof token !== 'string' || token === '') throw new TypeError('token must be an access token, and is empty')
  return options
}

/** The platform's reason for a failed connection; `fetch` of Node.js has it in the cause. */
const failureOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

/** Sends requests of one merchant. */
export type Requester = <N extends Name>(name: N, input: Input<N>, options?: CallOptions) => Promise<Answer<N>>

/** Creates a client that repeats requests as long as that is safe and `retries` allows it. */
export const createRequester = (client: Options): Requester => {
  const { baseUrl, token, retries = 4, fetch: send = globalThis.fetch } = checkOptions(client)

  const attempt = async (name: Name, input: Parts, { signal, timeoutMs }: CallOptions): Promise<unknown> => {
    const [method, pattern] = operations[name]
    const { type, content } = contentOf(input.body)
    const limit = AbortSignal.timeout(timeoutMs ?? client.timeoutMs ?? 30_000)
    const stop = new AbortController()
    const end = (event: Event): void => stop.abort((event.target as AbortSignal).reason)
    for (const each of [limit, signal]) each?.addEventListener('abort', end, { once: true })
    try {
      const response = await send(addressOf(baseUrl, pattern, input), {
        method,
        headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
        signal: signal?.aborted ? signal : stop.signal,
        // Redirects are not followed, so that the token goes to no other address. Workers lack the value 'error'.
        redirect: 'manual',
        ...(content !== undefined && { body: content }),
      })
      if (!response.ok) throw await refusalOf(response)
      return await readAnswer(response)
    } catch (error) {
      if (error instanceof PayinError || signal?.aborted) throw error
      const why = limit.aborted ? 'no answer in time' : `no answer: ${failureOf(error)}`
      throw new PayinConnectionError(`${why} (${baseUrl})`, { cause: error })
    } finally {
      for (const each of [limit, signal]) each?.removeEventListener('abort', end)
    }
  }

  /** How long to wait before the same request; undefined if it must not be repeated. */
  const pauseBefore = (name: Name, error: unknown, done: number): number | undefined => {
    if (done >= retries) return undefined
    const isSafe = operations[name][0] === 'GET' || repeatable.has(name)
    if (error instanceof PayinConnectionError) return isSafe ? pauseMs(done) : undefined
    if (!(error instanceof PayinError)) return undefined
    if (error.retryAfterMs !== undefined)
      return isUndone(error.status) && error.retryAfterMs <= longestPauseMs
        ? error.retryAfterMs + pauseMs(0)
        : undefined
    return error.status === 408 || (isSafe && error.status >= 500) ? pauseMs(done) : undefined
  }

  return async (name, input, options = {}) => {
    for (let done = 0; ; done++) {
      try {
        return (await attempt(name, input, options)) as Answer<typeof name>
      } catch (error) {
        const pause = pauseBefore(name, error, done)
        if (pause === undefined || options.signal?.aborted) throw error
        await sleep(pause, options.signal)
      }
    }
  }
}
