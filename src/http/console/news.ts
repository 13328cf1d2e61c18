import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { second } from '../../domain/time.ts'
import type { News, Topic } from '../../domain/topic.ts'
import { findMember, type Member } from '../../members/find-member.ts'
import { getProfile } from '../../merchants/merchant-directory.ts'
import type { App } from '../app.ts'
import { isOfConsole, memberOfSession } from '../console-session.ts'
import { countOpen } from '../count-open.ts'

/** Streams of one process, and those of one member: a page that is looked at has one. */
const mostStreams = 1000
const streamsPerMember = 20
/** A stream is written to at most this often, with all topics that have changed meanwhile. */
const everyMs = second
/** Proxies close a connection that is silent for about a minute; as often it is checked that the session still lasts. */
const heartbeatMs = 25 * second
/** A stream whose reader reads nothing ends when this many bytes wait for it. */
const maxWaitingBytes = 16 * 1024

type Stream = {
  readonly response: ServerResponse
  readonly cookie: string | undefined
  /** Whose news it gets; null for all. */
  readonly merchantId: string | null
  readonly changed: Set<Topic>
}

const merchantOf = ({ position }: Member): string | null => (position.kind === 'merchant' ? position.merchantId : null)

const write = ({ response }: Stream, text: string): void => {
  if (response.writableLength > maxWaitingBytes) response.destroy()
  else response.write(text)
}

/** The open streams of a process: what has changed goes to those that may know of it, gathered for a second. */
class NewsStreams {
  readonly #context: Context
  readonly #streams = new Set<Stream>()
  #timer: NodeJS.Timeout | undefined
  #writtenAt = 0
  #isChecking = false

  constructor(context: Context) {
    this.#context = context
  }

  add(stream: Stream): void {
    this.#streams.add(stream)
    stream.response.once('close', () => this.#streams.delete(stream))
  }

  note({ topic, merchantId }: News): void {
    for (const stream of this.#streams) {
      if (stream.merchantId === null || stream.merchantId === merchantId) stream.changed.add(topic)
    }
    // A session may have been ended by what the audit has just got.
    if (topic === 'records') void this.endOld()
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(0, this.#writtenAt + everyMs - this.#context.ticks()))
  }

  #flush(): void {
    this.#timer = undefined
    this.#writtenAt = this.#context.ticks()
    for (const stream of this.#streams) {
      if (stream.changed.size > 0) write(stream, `data: ${[...stream.changed].join(' ')}\n\n`)
      stream.changed.clear()
    }
  }

  /** Ends the streams whose session is over, and keeps the others open. */
  async endOld(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      for (const stream of [...this.#streams]) if (!(await this.#isGood(stream))) stream.response.end()
    } finally {
      this.#isChecking = false
    }
  }

  async #isGood(stream: Stream): Promise<boolean> {
    try {
      const member = await findMember(this.#context, stream.cookie)
      return member !== undefined && member.verifiedAt !== null && merchantOf(member) === stream.merchantId
    } catch (error) {
      // Without a database nobody can be asked; nothing is announced then either.
      this.#context.log.debug({ err: error }, 'a stream of news could not be checked')
      return true
    }
  }

  beat(): void {
    for (const stream of this.#streams) write(stream, ':\n\n')
    void this.endOld()
  }

  endAll(): void {
    clearTimeout(this.#timer)
    for (const { response } of this.#streams) response.end()
  }
}

const refuseSuspended = async (context: Context, merchantId: string | null): Promise<void> => {
  if (merchantId === null) return
  const { merchant } = await getProfile(context, merchantId)
  if (merchant.status === 'suspended') throw new Refusal('merchant_suspended', 'The merchant is suspended.')
}

/**
 * The stream of news for pages of the console: `data:` has the topics of which something has changed, never what. Members of
 * a merchant get what is their merchant's. It ends with the session, and when the service stops.
 */
export const registerNews = (app: App, context: Context): void => {
  const streams = new NewsStreams(context)
  const open = countOpen()
  const unwatch = context.changes.watch((news) => streams.note(news))
  context.changes.subscribe('news-streams', () => streams.endAll())
  const heartbeat = setInterval(() => streams.beat(), heartbeatMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(heartbeat)
    unwatch()
  })

  app.get('/console/news', { schema: { hide: true }, exposeHeadRoute: false }, async (request, reply) => {
    if (!isOfConsole(request)) throw new Refusal('session_missing', 'The stream is for pages of the console.')
    const member = await memberOfSession(context, request)
    const merchantId = merchantOf(member)
    await refuseSuspended(context, merchantId)
    if (open.isFull(['', mostStreams]) || open.isFull([member.name, streamsPerMember]))
      throw new Refusal('rate_limited', 'Too many pages are open.', { retryAfterSeconds: 60 })
    const release = open.take(['', member.name])
    reply.raw.once('close', release)
    if (reply.raw.destroyed) return release()
    start(reply)
    if (context.changes.closed()) return void reply.raw.end()
    streams.add({ response: reply.raw, cookie: request.headers.cookie, merchantId, changed: new Set() })
  })
}

const start = (reply: FastifyReply): void => {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // nginx would hold messages back until its buffer is full.
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  reply.raw.write(':\n\n')
}
