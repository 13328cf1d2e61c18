import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { second } from '../../domain/time.ts'
import { paymentKey } from '../../payments/payment-key.ts'
import type { App } from '../app.ts'
import { limitStreams } from './page-limits.ts'
import { type PageView, pageTag } from './page-view.ts'

/** Proxies close a connection that is silent for longer than about a minute. */
const beatMs = 25 * second

/** A stream whose reader takes nothing is ended when so much waits for it, in bytes. */
const maxWaitingBytes = 16 * 1024

// After a restart all pages come back; those of one moment are spread over four seconds by their tokens.
const retryMs = (token: string): number =>
  1000 + ([...token.slice(-8)].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 3000)

/**
 * The stream of a page: a tick (`data`) for every change of its payment, no contents, so that there is one rendering of
 * each state. The first tick is the tag of the present state: a page that shows it already has missed nothing. All
 * streams end when the service stops.
 */
export const pageEvents = (app: App, context: Context) => {
  const limits = limitStreams(context)
  const streams = new Set<ServerResponse>()
  const write = (stream: ServerResponse, text: string): void => {
    if (stream.writableLength > maxWaitingBytes) stream.destroy()
    else stream.write(text)
  }
  const beat = setInterval(() => {
    for (const stream of streams) write(stream, ':\n\n')
  }, beatMs)
  beat.unref()
  app.addHook('onClose', async () => clearInterval(beat))

  return async (
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
    open: () => Promise<PageView>,
  ): Promise<void> => {
    const { token } = request.params
    const release = limits.take(request.ip, token)
    const stream = reply.raw
    let missed = false
    let tick = (): void => {
      missed = true
    }
    // Subscribed before the first look, so that no change falls in between.
    const key = context.checkoutTokens.open(token)
    const subject = key && paymentKey({ merchantId: key.merchantId, id: key.paymentId })
    const unsubscribe = subject === undefined ? undefined : context.changes.subscribe(subject, () => tick())
    stream.once('close', () => {
      streams.delete(stream)
      unsubscribe?.()
      release()
    })
    const tag = pageTag(await open())
    if (stream.destroyed) return
    reply.hijack()
    stream.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      // nginx would keep the ticks until it has a buffer full of them.
      'x-accel-buffering': 'no',
      connection: 'close',
    })
    write(stream, `retry: ${retryMs(token)}\ndata: ${tag}\n\n`)
    streams.add(stream)
    tick = () => {
      if (context.changes.closed()) stream.end()
      else write(stream, 'data: changed\n\n')
    }
    if (missed || context.changes.closed()) tick()
  }
}
