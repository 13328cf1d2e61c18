import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the response is a stream of events, which lasts until its reader leaves. */
    isStream?: true
  }
}

/** A stream is cut off when more bytes than this wait for a reader that does not read. */
const maxWaitingBytes = 16 * 1024

/** Starts a stream of server-sent events as the response, with the headers that the reply has so far and `headers`. */
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
  // A stream that has ended stays open until earlier responses on its connection are sent; writing to it would throw.
  if (stream.writableEnded) return
  if (stream.writableLength > maxWaitingBytes) stream.destroy()
  else stream.write(text)
}
