import type { ServerResponse } from 'node:http'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { second } from '../../rules/time.ts'
import type { News, Topic } from '../../rules/notices/topic.ts'
import { findMember, type Member } from '../../engine/members/find-member.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import type { App } from '../routes/app.ts'
import { isOfConsole, memberOfSession } from '../access/console-session.ts'
import { countOpen } from '../access/count-open.ts'
import { startEvents, writeEvent } from '../routes/event-stream.ts'

/** Most streams of one process, and of one member: each visible page has one. */
const mostStreams = 1000
const streamsPerMember = 20
/** A stream is written to at most this often, with all topics that have changed meanwhile. */
const everyMs = second
/** Proxies close a connection that is silent for about a minute. The sessions of streams are checked as often. */
const heartbeatMs = 25 * second

type Stream = {
  readonly response: ServerResponse
  readonly cookie: string | undefined
  /** The merchant whose news it gets; null for those of all. */
  readonly merchantId: string | null
  readonly changed: Set<Topic>
}

/** The merchant whose news a member gets; null for operators, who get those of all. */
const merchantOf = ({ position }: Member): string | null => (position.kind === 'merchant' ? position.merchantId : null)

const isSuspended = async (context: Context, merchantId: string | null): Promise<boolean> =>
  merchantId !== null && (await getProfile(context, merchantId)).merchant.status === 'suspended'

/**
 * The open streams of this process. Topics that have changed are collected for a second, then sent to the streams that
 * may know about them.
 */
class NewsStreams {
  readonly #context: Context
  readonly #streams = new Set<Stream>()
  #timer: NodeJS.Timeout | undefined
  #writtenAt = 0
  /** Whether a session may have ended since the last check: the audit has recorded an act. */
  #isDue = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Adds a stream and checks its session again, which may have ended since it was read. */
  async add(stream: Stream): Promise<void> {
    this.#streams.add(stream)
    stream.response.once('close', () => this.#streams.delete(stream))
    await this.#endIfOld(stream)
  }

  note({ topic, merchantId }: News): void {
    for (const stream of this.#streams) {
      if (stream.merchantId === null || stream.merchantId === merchantId) stream.changed.add(topic)
    }
    this.#isDue ||= topic === 'records'
    this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#flush(), Math.max(0, this.#writtenAt + everyMs - this.#context.ticks()))
  }

  async #flush(): Promise<void> {
    // Bank feeds write into the audit all the time: acts within a second share one check.
    if (this.#isDue) {
      this.#isDue = false
      await this.#endOld()
    }
    this.#timer = undefined
    this.#writtenAt = this.#context.ticks()
    for (const stream of this.#streams) {
      if (stream.changed.size > 0) writeEvent(stream.response, `data: ${[...stream.changed].join(' ')}\n\n`)
      stream.changed.clear()
    }
    if (this.#isDue) this.#schedule()
  }

  /** Ends the streams whose session is over. */
  async #endOld(): Promise<void> {
    for (const stream of [...this.#streams]) await this.#endIfOld(stream)
  }

  async #endIfOld(stream: Stream): Promise<void> {
    if (!(await this.#isGood(stream))) stream.response.end()
  }

  async #isGood({ cookie, merchantId }: Stream): Promise<boolean> {
    try {
      const member = await findMember(this.#context, cookie)
      if (member === undefined || member.verifiedAt === null) return false
      if (merchantOf(member) !== merchantId) return false
      return !(await isSuspended(this.#context, merchantId))
    } catch (error) {
      // Without the database no session can be checked, but there is no news to send either.
      this.#context.log.debug({ err: error }, 'could not check the session of a stream of news')
      return true
    }
  }

  beat(): void {
    for (const stream of this.#streams) writeEvent(stream.response, ':\n\n')
    void this.#endOld()
  }

  endAll(): void {
    clearTimeout(this.#timer)
    for (const { response } of this.#streams) response.end()
  }
}

/**
 * Serves the stream of news for pages of the console: `data:` names the topics in which something has changed, never
 * what has changed. Members of a merchant get only what concerns their merchant. A stream ends with its session or role,
 * when the merchant is suspended, and when the service stops.
 */
export const registerNews = (app: App, context: Context): void => {
  const streams = new NewsStreams(context)
  const unwatch = context.changes.watch((news) => streams.note(news))
  context.changes.subscribe('news-streams', () => streams.endAll())
  const open = countOpen()
  const heartbeat = setInterval(() => streams.beat(), heartbeatMs).unref()
  app.addHook('onClose', async () => {
    clearInterval(heartbeat)
    unwatch()
  })

  app.get('/console/news', { schema: { hide: true }, exposeHeadRoute: false }, async (request, reply) => {
    if (!isOfConsole(request)) throw new Refusal('session_missing', 'This stream is for pages of the console only.')
    const member = await memberOfSession(context, request)
    const merchantId = merchantOf(member)
    if (await isSuspended(context, merchantId)) throw new Refusal('merchant_suspended', 'The merchant is suspended.')
    if (open.isFull(['', mostStreams]) || open.isFull([member.name, streamsPerMember]))
      throw new Refusal('rate_limited', 'Too many pages are open.', { retryAfterSeconds: 60 })
    const release = open.take(['', member.name])
    reply.raw.once('close', release)
    if (reply.raw.destroyed) return release()
    const response = startEvents(reply, { 'cache-control': 'no-store' })
    writeEvent(response, ':\n\n')
    if (context.changes.closed()) return void response.end()
    await streams.add({ response, cookie: request.headers.cookie, merchantId, changed: new Set() })
  })
}
