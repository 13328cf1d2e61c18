import { connect, type Socket } from 'node:net'
import type { TestService } from './service.ts'

/** An answer as received, its body parsed if it is JSON. */
export type RawAnswer = {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies freely; a wrong name fails an assertion
  readonly body: any
}

/** The answers on one connection, in order, and whether the service closed it. */
export type RawExchange = { readonly answers: readonly RawAnswer[]; readonly closed: boolean }

/** A connection that has been silent for this long is finished. */
const silenceMs = 250
const longestMs = 10_000

/** Sends bytes unchanged over a new connection and collects everything that comes back. */
export const sendRaw = (
  service: Pick<TestService, 'url'>,
  bytes: string | Buffer | ((socket: Socket) => void),
  expected = 1,
): Promise<RawExchange> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    let silence: NodeJS.Timeout | undefined
    const end = (closed: boolean): void => {
      clearTimeout(limit)
      clearTimeout(silence)
      socket.destroy()
      try {
        resolve({ answers: readAnswers(received), closed })
      } catch (error) {
        reject(error)
      }
    }
    const limit = setTimeout(() => end(false), longestMs)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      clearTimeout(silence)
      // Silence ends the exchange only after the expected number of answers.
      if (readAnswers(received).length >= expected) silence = setTimeout(() => end(false), silenceMs)
    })
    // A service that answers and closes while we still write resets the connection: its answers count.
    socket.on('error', () => end(true))
    socket.on('close', () => end(true))
    socket.on('connect', () => {
      if (typeof bytes === 'function') bytes(socket)
      else socket.write(bytes)
    })
  })

/** The body that starts here, and where it ends; undefined if it is not complete yet. */
const readRawBody = (bytes: Buffer, start: number, headers: Headers): { text: string; end: number } | undefined => {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const end = start + Number(headers.get('content-length') ?? 0)
    return bytes.length < end ? undefined : { text: bytes.toString('utf8', start, end), end }
  }
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { text: Buffer.concat(parts).toString(), end }
    parts.push(bytes.subarray(lineEnd + 2, end - 2))
    at = end
  }
}

/** The complete answers in what was received. */
export const readAnswers = (bytes: Buffer): RawAnswer[] => {
  const answers: RawAnswer[] = []
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at)
    if (headEnd < 0) break
    const [first = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
    if (!status) throw new Error(`not the start of an answer: ${first}`)
    const headers = new Headers(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const found = readRawBody(bytes, headEnd + 4, headers)
    if (!found) break
    const isJson = (headers.get('content-type') ?? '').includes('json')
    answers.push({ status, headers, body: isJson ? JSON.parse(found.text) : found.text })
    at = found.end
  }
  return answers
}

/** The bytes of a request with a body, and with its true length unless `headers` give another. */
export const rawRequest = (
  method: string,
  target: string,
  headers: readonly string[],
  body: string | Buffer = '',
): Buffer => {
  const bytes = Buffer.from(body)
  const tellsLength = headers.some((header) => /^(content-length|transfer-encoding)\s*:/i.test(header))
  const length = tellsLength || (bytes.length === 0 && method === 'GET') ? [] : [`Content-Length: ${bytes.length}`]
  return Buffer.concat([
    Buffer.from(`${[`${method} ${target} HTTP/1.1`, ...headers, ...length].join('\r\n')}\r\n\r\n`, 'latin1'),
    bytes,
  ])
}
