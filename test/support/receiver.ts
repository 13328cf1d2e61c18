import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'

/** A call that a receiver got, with its body unchanged. */
export type Call = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly id: string
  readonly body: string
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies freely; a wrong name fails an assertion
  readonly data: any
}

/** A receiver's answer to a call: a status, or a function that writes the response. */
export type Answer = number | ((call: Call, response: ServerResponse, request: IncomingMessage) => void)

/** A merchant's receiver of notifications on the loopback address. */
export type Receiver = AsyncDisposable & {
  readonly url: string
  readonly calls: Call[]
  /** The number of connections so far. */
  connections(): number
  /** The answer from now on. */
  answer: Answer
}

const read = async (request: IncomingMessage): Promise<Call> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString('utf8')
  const { headers, url = '' } = request
  const { type, data } = JSON.parse(body) as { type: string; data: unknown }
  return { path: url, headers, id: String(headers['webhook-id']), body, type, data }
}

/** Opens a receiver that answers 204 until its answer is changed. */
export const openReceiver = async (answer: Answer = 204): Promise<Receiver> => {
  const calls: Call[] = []
  let connections = 0
  const server = createServer((request, response) => {
    void read(request).then(
      (call) => {
        calls.push(call)
        if (typeof receiver.answer === 'number') response.writeHead(receiver.answer).end()
        else receiver.answer(call, response, request)
      },
      () => response.destroy(),
    )
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    connections: () => connections,
    answer,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

/** Verifies a call with a foreign library; throws if the signature is wrong. */
export const verify = (secret: string, call: Pick<Call, 'headers' | 'body'>): void => {
  const header = (name: string): string => String(call.headers[name])
  new Webhook(secret).verify(call.body, {
    'webhook-id': header('webhook-id'),
    'webhook-timestamp': header('webhook-timestamp'),
    'webhook-signature': header('webhook-signature'),
  })
}

/** Fails unless the first calls for the events of a payment came in the order of the events. */
export const assertInOrder = (calls: readonly Call[]): void => {
  const last = new Map<string, number>()
  const seen = new Set<string>()
  for (const { id, data } of calls) {
    if (seen.has(id)) continue
    seen.add(id)
    assert.ok(
      data.sequence > (last.get(data.id) ?? 0),
      `payment ${data.id}: ${data.sequence} after ${last.get(data.id)}`,
    )
    last.set(data.id, data.sequence)
  }
}
