import { createSecretKey, createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { signWebhook } from '../gateways/sign-webhook.ts'
import { notificationKinds } from '../rules/notices/notification.ts'
import { type Payin, PayinConnectionError, PayinError } from '../../sdk/src/payin-sdk.ts'
import { command, type Commands } from './commands.ts'
import { Failure } from './failure.ts'
import type { MerchantSession } from './merchant-session.ts'
import { choice, option, required } from './inputs.ts'
import { printTime } from './print-table.ts'
import { printSpan } from '../rules/time.ts'
import { span, wordsOf } from './read-arguments.ts'
import { say } from './say.ts'
import type { Session } from './session.ts'

/** A notification for a handler, with what its headers are made of. */
export type Call = {
  readonly id: string
  readonly body: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly secret: string
}

/** The answer of a handler, or why there is none. */
export type HandlerAnswer = {
  readonly status?: number
  readonly error?: 'connection_failed' | 'timeout' | 'failed'
  readonly retryAfter?: string
  readonly latencyMs: number
  readonly excerpt: string
}

/** As long as the service waits for an endpoint. */
export const handlerTimeoutMs = 15_000
const longestExcerpt = 500

/** The headers of a notification. */
export const headersOf = ({ id, body, timestamp, secret }: Call): Record<string, string> => {
  const key = createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
  return {
    'content-type': 'application/json',
    'user-agent': 'Payin',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([key], id, timestamp, body),
  }
}

const errorOf = (error: unknown): NonNullable<HandlerAnswer['error']> => {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined
  return /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET)/.test(cause?.code ?? '') ? 'connection_failed' : 'failed'
}

/** Posts a notification to a handler's address; returns a failure as an answer and never throws. */
export const forward = async (
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { clock, timeoutMs = handlerTimeoutMs }: { readonly clock: () => number; readonly timeoutMs?: number },
): Promise<HandlerAnswer> => {
  const startedAt = clock()
  const latency = (): number => Math.max(0, Math.round(clock() - startedAt))
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
    const latencyMs = latency()
    const excerpt = (await response.text().catch(() => '')).slice(0, longestExcerpt)
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, ...(retryAfter !== null && { retryAfter }), latencyMs, excerpt }
  } catch (error) {
    return { error: errorOf(error), latencyMs: latency(), excerpt: '' }
  }
}

/** Whether a handler has accepted a notification: it answered 2xx. */
export const isTaken = ({ status = 0 }: HandlerAnswer): boolean => status >= 200 && status < 300

/** An answer of a handler in words. */
export const printAnswer = ({ status, error, latencyMs }: HandlerAnswer): string =>
  `${status ?? error ?? 'no answer'} in ${latencyMs} ms`

type Delivery = Awaited<ReturnType<Payin['listeners']['take']>>['deliveries'][number]
type Result = NonNullable<NonNullable<Parameters<Payin['listeners']['take']>[1]>['results']>[number]

/** Seconds for which the service may hold its answer. */
const waitSeconds = 25

/** Reads an http or https address. */
export const webAddress = (typed: string): string => {
  if (/^https?:\/\//.test(typed) && URL.canParse(typed)) return typed
  throw new Failure([`${typed} is not an http(s) address, such as http://localhost:3000/payin.`], 2)
}

/** The secret to sign with: the given one, else one derived from the token, which therefore stays the same. */
export const secretOf = (
  { webhookSecret, token }: MerchantSession,
  given: string | undefined,
): { readonly secret: string; readonly isGiven: boolean } => {
  const secret = given ?? webhookSecret
  if (secret === undefined) {
    const own = createHmac('sha256', token).update('payin listen').digest('base64')
    return { secret: `whsec_${own}`, isGiven: false }
  }
  if (/^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(secret)) return { secret, isGiven: true }
  throw new Failure(['The secret is not one of an endpoint: whsec_ and at least 16 bytes in Base64.'], 2)
}

export const secretOption = option(
  '--secret <secret>',
  'signs the notifications (PAYIN_SECRET, else one made by this command that stays the same for your token)',
)

type Heard = { readonly type: string; readonly data: { readonly orderId?: string } }

type Kind = (typeof notificationKinds)[number]

/** A listener: it takes deliveries that are due, forwards them and prints the results. */
type Listening = {
  readonly session: Session
  readonly address: string
  readonly secret: string
  readonly until: string | undefined
  readonly signal: AbortSignal
  isReached: boolean
}

const write = ({ surroundings: { output } }: Session, text: string): void => void output.write(`${text}\n`)

const report = ({ session }: Listening, delivery: Delivery, heard: Heard, answer: HandlerAnswer): void => {
  const { eventId, attempt, body } = delivery
  if (session.isJson)
    return write(session, JSON.stringify({ ...{ eventId, attempt, type: heard.type }, ...answer, body }))
  const at = printTime(new Date(session.surroundings.clock()).toISOString())
  const about = [heard.type, heard.data.orderId, attempt > 1 ? `(try ${attempt})` : undefined].filter(Boolean).join(' ')
  const excerpt = isTaken(answer) || answer.excerpt === '' ? '' : `: ${answer.excerpt.replace(/[\p{C}\s]+/gu, ' ')}`
  write(session, `${at}  ${about} -> ${printAnswer(answer)}${excerpt}`)
}

const handle = async (listening: Listening, delivery: Delivery): Promise<Result> => {
  const { address, secret, until } = listening
  const { clock } = listening.session.surroundings
  const { eventId, attempt, queuedAt, body } = delivery
  const headers = headersOf({ id: eventId, body, timestamp: Math.floor(clock() / 1000), secret })
  const answer = await forward(address, headers, body, { clock })
  const heard = JSON.parse(body) as Heard
  report(listening, delivery, heard, answer)
  if (isTaken(answer) && heard.type === until) listening.isReached = true
  return { eventId, attempt, queuedAt, ...answer }
}

/** How long to wait before a service that did not answer is asked again; it may be restarting. */
const comeBackMs = 1000

/** Takes and forwards deliveries until the expected one has come or the signal aborts. */
const listen = async (listening: Listening, payin: Payin, endpointId: string): Promise<void> => {
  const { session, signal } = listening
  let results: Result[] = []
  let isAway = false
  const isOver = (): boolean => listening.isReached || signal.aborted
  do {
    // The results of the last deliveries are reported even after the signal.
    const last = isOver()
    const options = last ? {} : { signal, timeoutMs: (waitSeconds + 15) * 1000 }
    try {
      const { deliveries } = await payin.listeners.take(endpointId, { results, wait: last ? 0 : waitSeconds }, options)
      isAway = false
      results = last ? [] : await Promise.all(deliveries.map((delivery) => handle(listening, delivery)))
    } catch (error) {
      if (!(error instanceof PayinConnectionError) || isOver()) throw error
      if (!isAway) session.surroundings.errors.write(say('The service does not answer; trying again.\n'))
      isAway = true
      await sleep(comeBackMs)
    }
  } while (results.length > 0 || !isOver())
}

/** Listens; starts another listener if the service has removed this one, for example while the machine slept. */
const keepListening = async (
  listening: Listening,
  payin: Payin,
  kinds: readonly Kind[],
  begun: (endpointId: string) => void,
): Promise<void> => {
  for (let isGone = true; isGone; ) {
    const { id } = await payin.listeners.create({ description: 'payin listen', kinds: [...kinds] })
    begun(id)
    isGone = false
    try {
      await listen(listening, payin, id)
    } catch (error) {
      isGone = error instanceof PayinError && error.code === 'resource_not_found'
      if (!isGone && !listening.signal.aborted) throw error
    } finally {
      if (!isGone) await payin.endpoints.remove(id).catch(() => undefined)
    }
  }
}

/** A signal that aborts when the user ends the command or its time is over. */
const endOf = (session: Session, timeoutMs: number | undefined): AbortSignal => {
  const ended = session.surroundings.ended()
  return timeoutMs === undefined ? ended : AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)])
}

const begin =
  ({ session, address, secret }: Listening, isGiven: boolean) =>
  (endpointId: string): void => {
    if (session.isJson)
      return write(session, JSON.stringify({ type: 'listening', endpointId, address, ...(!isGiven && { secret }) }))
    if (!isGiven) write(session, say(`Your handler verifies with PAYIN_SECRET=${secret}`))
    write(session, say(`Forwarding to ${address}. In another terminal: payin trigger paid. Ctrl-C ends it.`))
  }

export const listenCommands: Commands = {
  listen: command({
    description:
      'Forward every notification of a merchant to a handler on this machine, with its body and a valid signature; no public address is needed. Notifications that it does not answer with 2xx are sent again, as to any endpoint.',
    inputs: {
      address: required('--forward <address>', 'address of the handler, with its path and query', webAddress),
      secret: secretOption,
      kinds: option(
        '--kinds <kinds>',
        'only these kinds of notifications, separated by commas',
        wordsOf(notificationKinds, 'kind'),
      ),
      until: choice('--until <kind>', 'stop once the handler has accepted one of this kind', notificationKinds),
      timeoutMs: option('--timeout <span>', 'stop after this time, with 1 if --until was not reached', span),
    },
    run: async (session, { address, secret: given, kinds, until, timeoutMs }) => {
      const merchant = session.merchant()
      const { secret, isGiven } = secretOf(merchant, given)
      const signal = endOf(session, timeoutMs)
      const listening: Listening = { session, address, secret, until, signal, isReached: false }
      const begun = begin(listening, isGiven)
      await merchant.ask((payin) => keepListening(listening, payin, kinds ?? [], begun))
      if (until === undefined || listening.isReached || session.surroundings.ended().aborted) return
      session.surroundings.errors.write(say(`No ${until} was accepted within ${printSpan(timeoutMs ?? 0)}.\n`))
      session.fail()
    },
  }),
}
