import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { readAnswers } from '../../support/raw-http.ts'
import type { Made } from './make-request.ts'
import type { Received } from './operations.ts'

/** Sends requests on connections that stay open. */
export type Client = {
  send(made: Made): Promise<Received>
  /** Writes bytes to a connection of their own, with `isEnded` also closes its side; gives the answers, whole ones only. */
  sendBytes(bytes: Buffer, isEnded: boolean): Promise<readonly Received[]>
  close(): void
}

const readBody = (text: string, type: string): unknown => {
  if (!type.includes('json')) return text
  return text === '' ? '' : JSON.parse(text)
}

/** Whoever does not close the connection, the fuzzer does after this time. */
const bytesWithinMs = 400
/** After an answer has come, this long nothing. */
const silenceMs = 20

/** The target of a request, its query escaped. */
export const targetOf = ({ path, query }: Made): string => {
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Opens a client of the service at this address. */
export const openClient = (url: string): Client => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return {
    send: (made) =>
      new Promise((done, fail) => {
        const { method, headers, body } = made
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const options = { agent, hostname, port, method, path: targetOf(made), headers: { ...headers, ...length } }
        const sent = request(options, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', fail)
          answer.on('end', () => {
            const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [
              name,
              String(value),
            ])
            const received = new Headers(fields)
            const text = Buffer.concat(chunks).toString()
            const type = received.get('content-type') ?? ''
            done({
              status: answer.statusCode ?? 0,
              headers: received,
              body: method === 'HEAD' ? '' : readBody(text, type),
            })
          })
        })
        sent.on('error', fail)
        sent.end(body)
      }),
    sendBytes: (bytes, isEnded) =>
      new Promise((done, fail) => {
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
        const chunks: Buffer[] = []
        const limit = setTimeout(() => socket.destroy(), bytesWithinMs)
        let silence: NodeJS.Timeout | undefined
        socket.on('data', (chunk) => {
          chunks.push(chunk)
          clearTimeout(silence)
          silence = setTimeout(() => socket.destroy(), silenceMs)
        })
        socket.on('error', () => socket.destroy())
        socket.on('end', () => socket.destroy())
        socket.on('close', () => {
          clearTimeout(limit)
          clearTimeout(silence)
          try {
            done(readAnswers(Buffer.concat(chunks)))
          } catch (error) {
            fail(error)
          }
        })
        socket.write(bytes)
        if (isEnded) socket.end()
      }),
    close: () => agent.destroy(),
  }
}

/** The headers that sign the body of a feed. */
export const signFeed = (key: string, body: string | Buffer | undefined, now: number): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac('sha256', key)
    .update(`${timestamp}.`)
    .update(body ?? '')
    .digest('hex')
  return { 'payin-timestamp': timestamp, 'payin-signature': `v1=${signature}` }
}
