import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it is answered by a stream, which lasts as long as its reader wishes. */
    isStream?: true
  }
}

/** A stream is ended when this many bytes wait for a reader that does not read. */
const maxWaitingBytes = 16 * 1024

/** Starts a stream of server-sent events in place of an answer, with the headers that the answer would have and these. */
export const startEvents = (reply: FastifyReply, headers: Readonly<Record<string, string>> = {}): ServerResponse => {
  reply.hijack()
  reply.request.isStream = true
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    ...headers,
    // nginx would hold messages back until its buffer is full.
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  return reply.raw
}

/** Writes to a stream of events; does nothing once it has ended. */
export const writeEvent = (stream: ServerResponse, text: string): void => {
  // A stream that has ended stays open until earlier answers on its connection are sent; Node.js would throw.
  if (stream.writableEnded) return
  if (stream.writableLength > maxWaitingBytes) stream.destroy()
  else stream.write(text)
}
