import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { second } from '../../rules/time.ts'
import { paymentKey } from '../../engine/payments/lock-payment.ts'
import type { App } from '../routes/app.ts'
import { startEvents, writeEvent } from '../routes/event-stream.ts'
import { limitStreams } from './page-limits.ts'
import { type PageView, pageTag } from './page-view.ts'

/** Proxies close a connection that is silent for about a minute. */
const heartbeatMs = 25 * second

// After a restart all pages reconnect; their tokens spread them over three seconds.
const retryMs = (token: string): number =>
  1000 + ([...token.slice(-8)].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 3000)

/**
 * The event stream of a page. Each change of the payment sends `data: changed` without contents, so that each state has
 * one rendering only. The first message is the tag of the current state: a page that shows it has missed nothing. All
 * streams end when the service stops.
 */
export const pageEvents = (app: App, context: Context) => {
  const limits = limitStreams(context)
  const streams = new Set<ServerResponse>()
  const heartbeat = setInterval(() => {
    for (const stream of streams) writeEvent(stream, ':\n\n')
  }, heartbeatMs)
  heartbeat.unref()
  app.addHook('onClose', async () => clearInterval(heartbeat))

  return async (
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
    open: () => Promise<PageView>,
  ): Promise<void> => {
    const { token } = request.params
    const release = limits.take(request.ip, token)
    const stream = reply.raw
    let hasChanged = false
    let notify = (): void => {
      hasChanged = true
    }
    // Subscribed before the payment is read, so that no change is missed in between.
    const key = context.checkoutTokens.open(token)
    const subject = key && paymentKey({ merchantId: key.merchantId, id: key.paymentId })
    const unsubscribe = subject === undefined ? undefined : context.changes.subscribe(subject, () => notify())
    stream.once('close', () => {
      streams.delete(stream)
      unsubscribe?.()
      release()
    })
    const tag = pageTag(await open())
    if (stream.destroyed) return
    startEvents(reply)
    writeEvent(stream, `retry: ${retryMs(token)}\ndata: ${tag}\n\n`)
    streams.add(stream)
    notify = () => {
      if (context.changes.closed()) stream.end()
      else writeEvent(stream, 'data: changed\n\n')
    }
    if (hasChanged || context.changes.closed()) notify()
  }
}
