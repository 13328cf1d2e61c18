import { openAsBlob } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { cliSettings } from '../config.ts'
import { Failure } from './failure.ts'
import { readOperatorToken } from './operator-token.ts'

/** An answer of the service: its JSON text as it came, and its content. */
export type Answer<T> = { readonly text: string; readonly body: T }

/** Parameters of a query; those without a value are not sent. */
export type Query = Readonly<Record<string, string | undefined>>

/** The method and path of an operation; names in braces are filled in from the values that are sent. */
export type Request = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

type Values = Readonly<Record<string, unknown>>

type CallOptions = {
  /** In place of the values that the path does not take; a text goes out as it is. */
  readonly body?: object | string | undefined
  /** For requests that read whole tables and may take minutes. */
  readonly patient?: true | undefined
}

/** One command's conversation with the running service. */
export type Session = {
  /** Sends values: some in the path, the others as the query of a GET or as the body. */
  call<T>(request: Request, values?: Values, options?: CallOptions): Promise<Answer<T>>
  get<T>(path: string, query?: Query): Promise<Answer<T>>
  /** The same for what reads whole tables and may take minutes. */
  getPatiently<T>(path: string): Promise<Answer<T>>
  /** Sends a body: a value, JSON text that goes out as it is, or `null` for none. */
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: object | string | null): Promise<Answer<T>>
  /** Sends a file with fields before it, as a form. */
  upload<T>(path: string, file: string, fields: Readonly<Record<string, string | undefined>>): Promise<Answer<T>>
  /** Saves a file, such as a receipt, under a name that must be free. */
  save(request: Request, values: Values, output: string): Promise<void>
  /** Copies an answer to standard output as it arrives. */
  stream(request: Request, values: Values): Promise<void>
  /** The service's own time, to the second. */
  now(): Promise<string>
  /** Prints an answer: as it came with `--json`, else as `describe` words it. */
  show<T>(answer: Answer<T>, describe: (body: T) => string): void
}

/** Options that every command has. */
export type GlobalOptions = { readonly url?: string; readonly token?: string; readonly json?: true }

type Problem = {
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
}

/** Longer than the service's own limit for a request. */
const timeoutMs = 60_000
/** For large files. */
const uploadTimeoutMs = 620_000
/** For what reads whole tables, and for answers that are copied as they arrive. */
const patientTimeoutMs = 60 * 60_000
const shownErrors = 20
const apiPath = '/api/v1/operator'

const hints: Readonly<Record<string, string>> = {
  token_invalid: 'The service has another operator token: see --token and PAYIN_OPERATOR_TOKEN.',
  token_missing: 'See --token and PAYIN_OPERATOR_TOKEN.',
  rate_outside_band: 'Here the option is --outside-band.',
}

const toFailure = ({ code, title, detail, errors = [] }: Problem): Failure => {
  const hint = hints[code]
  const more = errors.length - shownErrors
  return new Failure([
    // The detail would repeat the fields.
    `${code}: ${errors.length > 0 ? `${title}.` : detail}${hint === undefined ? '' : ` ${hint}`}`,
    ...errors.slice(0, shownErrors).map((error) => `  ${error.field === '' ? '' : `${error.field} `}${error.message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ])
}

const unreachable = (url: string, error: unknown): Failure => {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new Failure([`${url} did not answer within ${timeoutMs / 1000} seconds.`])
  }
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection'
  return new Failure([
    `Nothing answers at ${url} (${code}). Start the service with npm start, or name it with --url or PAYIN_URL.`,
  ])
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

const connect = ({ url, token }: GlobalOptions): { readonly url: string; readonly token: string } => {
  const parsed = cliSettings()
  if (!parsed.ok) throw new Failure(parsed.errors, 2)
  const { serviceUrl, operatorToken, dataDir } = parsed.settings
  const address = url ?? serviceUrl
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new Failure([`--url ${address} is not an http(s) address.`], 2)
  return { url: address.replace(/\/+$/, ''), token: token ?? operatorToken ?? readOperatorToken(dataDir) }
}

/** What goes out for a request: its path with values filled in, its query, its body. */
const fill = (request: Request, values: Values, body: object | string | undefined) => {
  const [method = '', template = ''] = request.split(' ')
  const rest: Record<string, unknown> = { ...values }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(values[name]))
  })
  if (method === 'GET') return { method, path, query: rest as Query, content: null }
  const content = typeof body === 'string' ? body : JSON.stringify(body ?? rest)
  return { method, path, query: {}, content: method === 'DELETE' ? null : content }
}

/** Opens a file that is read while it is sent, so that a large one needs no memory. */
const openFile = async (path: string): Promise<Blob> => {
  const refuse = (why: string): Failure => new Failure([`${path} cannot be read: ${why}.`], 2)
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw refuse(error.code === 'ENOENT' ? 'there is no such file' : error.message)
  })
  if (!found.isFile()) throw refuse('it is not a file')
  try {
    return await openAsBlob(path)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error))
  }
}

/** Opens the session of a command by its `--url`, `--token` and `--json`. */
export const openSession = (command: Command): Session => {
  const options = command.optsWithGlobals<GlobalOptions>()
  const { url, token } = connect(options)

  const request = async (
    path: string,
    method = 'GET',
    body: string | FormData | null = null,
    withinMs = timeoutMs,
  ): Promise<Response> => {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const headers = { authorization: `Bearer ${token}`, ...type }
    const signal = AbortSignal.timeout(withinMs)
    return fetch(url + path, { method, body, headers, signal, redirect: 'manual' }).catch((error: unknown) => {
      throw unreachable(url, error)
    })
  }

  const answer = async <T>(response: Response): Promise<Answer<T>> => {
    const text = await response.text()
    const body = parse(text)
    if (response.ok && body !== undefined) return { text, body: body as T }
    if (isProblem(body)) throw toFailure(body)
    throw new Failure([`${url} answers ${response.status}, but not as Payin does: check --url or PAYIN_URL.`])
  }

  const withQuery = (path: string, query: Query): string => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return apiPath + path + (given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '')
  }

  return {
    call: async (wanted, values = {}, { body, patient } = {}) => {
      const { method, path: address, query, content } = fill(wanted, values, body)
      const within = patient ? patientTimeoutMs : timeoutMs
      return answer(await request(withQuery(address, query), method, content, within))
    },
    get: async (path, query = {}) => answer(await request(withQuery(path, query))),
    getPatiently: async (path) => answer(await request(withQuery(path, {}), 'GET', null, patientTimeoutMs)),
    stream: async (wanted, values) => {
      const { path: address, query } = fill(wanted, values, undefined)
      const response = await request(withQuery(address, query), 'GET', null, patientTimeoutMs)
      if (!response.ok || !response.body) await answer(response)
      else await pipeline(response.body, process.stdout, { end: false })
    },
    send: async (method, path, body) =>
      answer(await request(apiPath + path, method, typeof body === 'object' && body ? JSON.stringify(body) : body)),
    upload: async (path, file, fields) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
      form.append('file', await openFile(file), basename(file))
      return answer(await request(apiPath + path, 'POST', form, uploadTimeoutMs))
    },
    save: async (wanted, values, output) => {
      const response = await request(apiPath + fill(wanted, values, undefined).path)
      if (!response.ok) await answer(response)
      const content = Buffer.from(await response.arrayBuffer())
      await writeFile(output, content, { flag: 'wx', mode: 0o600 }).catch((error: Error) => {
        throw new Failure([`${output} cannot be written: ${error.message}`], 2)
      })
      process.stdout.write(`Saved ${content.length} bytes to ${output}.\n`)
    },
    now: async () => {
      const response = await request('/healthz')
      await response.body?.cancel()
      const at = Date.parse(response.headers.get('date') ?? '')
      if (Number.isNaN(at)) throw new Failure([`${url} does not report its time: give the time itself.`])
      return new Date(at).toISOString()
    },
    show: ({ text, body }, describe) => {
      process.stdout.write(`${options.json ? text : describe(body)}\n`)
    },
  }
}

/** Gives a command's action its session in place of the command. */
export const inSession =
  <A extends readonly unknown[]>(run: (session: Session, ...given: A) => Promise<void>) =>
  (...given: readonly unknown[]): Promise<void> =>
    run(openSession(given.at(-1) as Command), ...(given.slice(0, -1) as unknown as A))

/** A path whose parts are encoded: `` path`/tokens/${id}/revoke` ``. */
export const path = (texts: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw({ raw: texts }, ...parts.map(encodeURIComponent))
