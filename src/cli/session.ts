import { openAsBlob } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Request } from '../operations/operation.ts'
import { exitCodes, Failure } from './failure.ts'
import { findService, findSide, type Side } from './find-service.ts'
import { type MerchantSession, openMerchantSession } from './merchant-session.ts'
import { type Printed, render, type Screen } from './print-table.ts'
import { say } from './say.ts'
import { type Answer, isOurs, readAnswer, sendRequest, type Sent } from './send-request.ts'
import { describeFileError, lineWidth, type Surroundings } from './surroundings.ts'

type Values = Readonly<Record<string, unknown>>

type CallOptions = {
  /** Sent instead of the values that are not in the path. A text is sent unchanged. */
  readonly body?: object | string | undefined
  /** The operator's own key of the request: repeated with it, the request gets the same answer. */
  readonly idempotencyKey?: string | undefined
  /** For requests that read whole tables and may take minutes. */
  readonly patient?: true | undefined
}

export type Session = {
  /** Sends values: some in the path, the others as the query of a GET or as the body. */
  call<T>(request: Request, values?: Values, options?: CallOptions): Promise<Answer<T>>
  /** Uploads a file as a form, after these fields. */
  upload<T>(path: string, file: string, fields: Readonly<Record<string, string | undefined>>): Promise<Answer<T>>
  /** Saves an answer, such as a receipt, to the file `output`, which must not exist. */
  save(request: Request, values: Values & { readonly output: string }): Promise<void>
  saveContent(content: Uint8Array, output: string): Promise<void>
  /** Copies an answer to standard output as it arrives. */
  stream(request: Request, values: Values): Promise<void>
  /** The service's own time, to the second. */
  now(): Promise<string>
  /** Prints an answer: unchanged with `--json`, else as `describe` words it. */
  show<T>(answer: Answer<T>, describe: (body: T) => Printed): void
  /** Whose token the command uses, if both sides have it. */
  side(): Side
  merchant(): MerchantSession
  /** Prints a value that the command has made: JSON with `--json`, else as `describe` words it. */
  showValue<T>(value: T, describe: (value: T) => Printed): void
  readonly isJson: boolean
  /** Makes the command exit with 1 although it got an answer. */
  fail(): void
  readonly surroundings: Surroundings
}

export type OpenSession = (command: Command) => Session

type GlobalOptions = {
  readonly url?: string
  readonly token?: string
  readonly json?: true
  readonly wide?: true
  /** Only commands that print lists have it. */
  readonly columns?: readonly string[]
}

const uploadTimeoutMs = 620_000
/** For requests that read whole tables, and for answers that are copied as they arrive. */
const patientTimeoutMs = 60 * 60_000
const apiPath = '/api/v1/operator'

/** The path and query of a request with values filled in, and its body. */
const fill = (request: Request, values: Values, body?: object | string) => {
  const [method = '', template = ''] = request.split(' ')
  const rest: Record<string, unknown> = { ...values }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(values[name]))
  })
  if (method === 'DELETE') return { method, path, content: null }
  if (method !== 'GET') return { method, path, content: typeof body === 'string' ? body : JSON.stringify(body ?? rest) }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return { method, path: query.size > 0 ? `${path}?${query.toString()}` : path, content: null }
}

/** Opens a file that is read while it is sent, so that a large one needs little memory. */
const openFile = async ({ folder }: Surroundings, typed: string): Promise<Blob> => {
  const path = resolve(folder, typed)
  const refuse = (why: string): Failure => new Failure([`${typed} cannot be read: ${why}.`], 2)
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw refuse(describeFileError(error))
  })
  if (!found.isFile()) throw refuse('it is not a file')
  try {
    return await openAsBlob(path)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error))
  }
}

/** Opens the session of a command from its global options; `fail` makes it exit with 1. */
export const openSession = (command: Command, surroundings: Surroundings, fail: () => void): Session => {
  const options = command.optsWithGlobals<GlobalOptions>()
  const screen: Screen = {
    width: options.wide ? Infinity : lineWidth(surroundings),
    isBold: surroundings.isBold,
    columns: options.columns,
  }
  const { output: standardOutput } = surroundings
  const show: Session['show'] = ({ text, body }, describe) =>
    void standardOutput.write(`${options.json ? text : render(describe(body), screen)}\n`)

  const request = async (path: string, sent: Sent = {}): Promise<Response> =>
    sendRequest(findService(surroundings, options, 'operator'), path, sent)

  /** An answer that is a file; throws a refusal. */
  const requestFile = async (wanted: Request, values: Values, withinMs?: number): Promise<Response> => {
    const response = await request(apiPath + fill(wanted, values).path, withinMs === undefined ? {} : { withinMs })
    if (!isOurs(response)) await readAnswer(response)
    return response
  }

  const saveContent = async (content: Uint8Array, output: string): Promise<void> => {
    const path = resolve(surroundings.folder, output)
    await writeFile(path, content, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      throw new Failure([`${output} cannot be written: ${describeFileError(error)}. Give another --output.`], 2)
    })
    if (!options.json) standardOutput.write(say(`Saved ${content.length} bytes to ${output}.\n`))
  }

  return {
    call: async (wanted, values = {}, { body, patient, idempotencyKey } = {}) => {
      const { method, path, content } = fill(wanted, values, body)
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const within = patient && { withinMs: patientTimeoutMs }
      return readAnswer(await request(apiPath + path, { method, body: content, headers, ...within }))
    },
    stream: async (wanted, values) => {
      const { body } = await requestFile(wanted, values, patientTimeoutMs)
      if (body) await pipeline(body, standardOutput, { end: false })
    },
    upload: async (path, file, fields) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
      form.append('file', await openFile(surroundings, file), basename(file))
      return readAnswer(await request(apiPath + path, { method: 'POST', body: form, withinMs: uploadTimeoutMs }))
    },
    save: async (wanted, { output, ...values }) =>
      saveContent(new Uint8Array(await (await requestFile(wanted, values)).arrayBuffer()), output),
    saveContent,
    now: async () => {
      const response = await request('/healthz')
      await response.body?.cancel()
      const at = Date.parse(response.headers.get('date') ?? '')
      if (Number.isNaN(at)) {
        throw new Failure(
          [`${new URL(response.url).origin} does not report its time: give a time instead of a span.`],
          exitCodes.unanswered,
        )
      }
      return new Date(at).toISOString()
    },
    show,
    side: () => findSide(surroundings, options),
    merchant: () => openMerchantSession(findService(surroundings, options, 'merchant')),
    showValue: (body, describe) => show({ text: JSON.stringify(body), body }, describe),
    isJson: options.json === true,
    fail,
    surroundings,
  }
}
