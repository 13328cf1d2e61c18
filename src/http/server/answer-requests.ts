import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, type RefusalCode } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'
import { toProblem } from '../errors/errors.ts'
import type { Socket } from 'node:net'
import type { Context } from '../../engine/context.ts'
import { second } from '../../rules/time.ts'

type SendRefusal = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply

/** Answers 405 with `Allow` if the address exists for other methods, else 404. */
export const answerUnknown = (app: App, sendRefusal: SendRefusal): void => {
  const patterns = new Map<string, { match: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', (route) => {
    // The page for unknown links matches every address, so it says nothing about which exist.
    if (route.url === '/*') return
    const source = route.url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')
    const entry = patterns.get(route.url) ?? { match: new RegExp(`^${source}$`), methods: new Set<string>() }
    for (const method of [route.method].flat()) entry.methods.add(method)
    patterns.set(route.url, entry)
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?')
    const methods = [...patterns.values()]
      .filter((entry) => entry.match.test(path))
      .flatMap((entry) => [...entry.methods])
    // A pattern may match with this method although no route did, because a parameter was too long.
    if (methods.length === 0 || methods.includes(request.method))
      return sendRefusal(request, reply, new Refusal('route_not_found', 'There is nothing at this address.'))
    const allow = [...new Set(methods)].toSorted().join(', ')
    void reply.header('allow', allow)
    return sendRefusal(request, reply, new Refusal('method_not_allowed', `This address allows ${allow}.`))
  })
}

/** Headers that keep browsers from misusing a response: no scripts, frames, guessing of types or other origins. */
export const securityHeaders = (isHttps: boolean): Record<string, string> => ({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  ...(isHttps ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
})

/** Adds `headers` to every response. @fastify/helmet would build them again for each (4 % of a busy process). */
export const addSecurityHeaders = (app: App, headers: Record<string, string>): void => {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers)
    done()
  })
}

const refusalOf = (code: string | undefined): Refusal => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headers_too_large', 'The headers are larger than 16 KiB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request did not arrive in time.')
    default:
      return new Refusal('validation_failed', 'This is not a well-formed HTTP request.')
  }
}

/** Answers, on the bare connection, a request that Node.js could not read or waited for too long. Returns the code. */
export const answerClientError = (
  error: Error & { code?: string },
  connection: { endWith(text: string): void },
  requestId: string,
): RefusalCode => {
  const refusal = refusalOf(error.code)
  const { status, headers, body } = toProblem(refusal, requestId)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  connection.endWith(`HTTP/1.1 ${status} Refused\r\n${head}\r\n${text}`)
  return refusal.code
}

/** A client that has just connected has this long to send its request. */
const speakWithinMs = 250
/** How long a client in the middle of a request may delay the end of the service. */
const stopWithinMs = 5 * second

/**
 * Lets the server end soon. Node.js counts a connection that has not sent anything yet as busy and would wait for it,
 * and a response in progress would leave its connection open for the next request.
 */
export const endConnections = (app: App, context: Context): void => {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (context.changes.closed()) void reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    const endSilent = (): void => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    setTimeout(endSilent, speakWithinMs).unref()
    setTimeout(() => app.server.closeAllConnections(), stopWithinMs).unref()
  })
}
