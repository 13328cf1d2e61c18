import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentMethod } from '../rules/values/payment-method.ts'
import type { SimulatedEvent } from '../rules/sandbox/simulation.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { Failure } from './failure.ts'
import { forward, handlerTimeoutMs, type HandlerAnswer, headersOf, isTaken, printAnswer } from './listen.ts'
import type { Surroundings } from './surroundings.ts'

/** One thing that was sent to a handler, or expected from it, with the result. */
export type Step = {
  readonly sent: string
  readonly expected: string
  readonly happened: string
  readonly passed: boolean
}

/** A notification of the service: its id and its bytes. */
export type Notification = { readonly id: string; readonly type: string; readonly body: string }

/** A sandbox payment and its notifications in order, once an event was played. */
export type PlayedPayment = {
  readonly orderId: string
  readonly userId: string
  readonly amount: number
  readonly notifications: readonly Notification[]
}

/** How a notification differs from the one that the service would send. */
export type Change = {
  readonly secret?: string
  readonly body?: string
  /** Seconds added to its time. */
  readonly secondsOff?: number
  /** Headers to replace; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export type Target = {
  readonly address: string
  readonly secret: string
  readonly amount: number
  readonly currency: string
  readonly method: PaymentMethod
  readonly answerWithinMs: number
  readonly ackWithinMs: number
  /** Where the shop creates a payment itself; undefined: this class creates it as the merchant. */
  readonly createAt: string | undefined
  /** Where the shop reports what it has credited to a user; contains `{user}`. */
  readonly balanceAt: string | undefined
}

const playWithinMs = 60_000
const lookEveryMs = 150

const orderIdOf = (answer: unknown): string | undefined => {
  const { orderId, payment } = (answer ?? {}) as { orderId?: unknown; payment?: { orderId?: unknown } }
  const found = orderId ?? payment?.orderId
  return typeof found === 'string' ? found : undefined
}

const balanceOf = (text: string): number => {
  try {
    const answer = JSON.parse(text) as unknown
    const value = typeof answer === 'object' && answer !== null && 'balance' in answer ? answer.balance : answer
    return Number(value)
  } catch {
    return Number.NaN
  }
}

/** Plays payments in the sandbox, sends their notifications to a handler, and records what happens. */
export class IntegrationProbe {
  readonly #payin: Payin
  readonly #target: Target
  readonly #surroundings: Surroundings
  readonly #heard = new Map<string, Notification[]>()
  #listenerId: string | undefined
  #results: NonNullable<NonNullable<Parameters<Payin['listeners']['take']>[1]>['results']> = []
  steps: Step[] = []

  constructor(payin: Payin, target: Target, surroundings: Surroundings) {
    this.#payin = payin
    this.#target = target
    this.#surroundings = surroundings
  }

  /** Closes the listener that receives the notifications. */
  close = async (): Promise<void> => {
    if (this.#listenerId !== undefined) await this.#payin.endpoints.remove(this.#listenerId).catch(() => undefined)
  }

  /** Creates a payment, lets the sandbox play an event, and returns its notifications when these kinds have come. */
  play = async (event: SimulatedEvent, ...kinds: readonly string[]): Promise<PlayedPayment> => {
    this.#listenerId ??= await this.#listen()
    const userId = `check-${this.#surroundings.newId().slice(0, 13)}`
    const orderId = await this.#create(userId)
    return this.#simulate({ orderId, userId, amount: this.#target.amount }, { event }, kinds)
  }

  /** Lets operators correct a credited payment, and returns its notifications when these kinds have come. */
  correct = (played: PlayedPayment, amount: number, ...kinds: readonly string[]): Promise<PlayedPayment> =>
    this.#simulate(played, { event: 'dispute-accepted', amount }, kinds)

  #simulate = async (
    { orderId, userId, amount }: Omit<PlayedPayment, 'notifications'>,
    step: { readonly event: SimulatedEvent; readonly amount?: number },
    kinds: readonly string[],
  ): Promise<PlayedPayment> => {
    await this.#payin.sandbox.simulate(orderId, step)
    const listenerId = (this.#listenerId ??= await this.#listen())
    const end = this.#surroundings.clock() + playWithinMs
    for (;;) {
      const notifications = this.#heard.get(orderId) ?? []
      if (kinds.every((kind) => notifications.some(({ type }) => type === kind)))
        return { orderId, userId, amount, notifications }
      if (this.#surroundings.clock() > end) throw this.#notPlayed(step.event, kinds)
      await this.#hear(listenerId)
    }
  }

  #listen = async (): Promise<string> =>
    (await this.#payin.listeners.create({ description: 'payin check-integration' })).id

  #notPlayed = (event: string, kinds: readonly string[]): Failure =>
    new Failure([`In the sandbox, ${event} did not lead to ${kinds.join(', ')}: this merchant's terms may differ.`])

  #create = async (userId: string): Promise<string> => {
    const { amount, currency, method, createAt } = this.#target
    if (createAt === undefined) {
      const orderId = `${userId}-order`
      await this.#payin.payments.create({ type: 'direct', method, amount, currency, orderId, userId })
      return orderId
    }
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ user: userId, amount, currency })
    const { status, excerpt, error } = await forward(createAt, headers, body, this.#surroundings)
    try {
      const orderId = orderIdOf(JSON.parse(excerpt))
      if (orderId !== undefined) return orderId
    } catch {
      // The failure below reports it.
    }
    throw new Failure([
      `${createAt} was sent ${body} and must answer JSON with orderId, but answered ${status ?? error}: ${excerpt}`,
    ])
  }

  #hear = async (listenerId: string): Promise<void> => {
    const { deliveries } = await this.#payin.listeners.take(listenerId, { results: this.#results, wait: 2 })
    this.#results = deliveries.map(({ eventId, attempt, queuedAt }) => ({
      ...{ eventId, attempt, queuedAt, status: 204, latencyMs: 0 },
    }))
    for (const { eventId, body } of deliveries) {
      const { type, data } = JSON.parse(body) as { type: string; data: { orderId?: string } }
      const orderId = data.orderId ?? ''
      const heard = this.#heard.get(orderId) ?? []
      if (!heard.some(({ id }) => id === eventId)) this.#heard.set(orderId, [...heard, { id: eventId, type, body }])
    }
  }

  #note = (sent: string, expected: string, happened: string, passed: boolean): boolean => {
    this.steps.push({ sent, expected, happened, passed })
    return passed
  }

  #request = ({ id, body }: Notification, change: Change): { headers: Record<string, string>; body: string } => {
    const sent = change.body ?? body
    const timestamp = Math.floor(this.#surroundings.clock() / 1000) + (change.secondsOff ?? 0)
    const headers = {
      ...headersOf({ id, body, timestamp, secret: change.secret ?? this.#target.secret }),
      ...change.headers,
    }
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return { headers: Object.fromEntries(given), body: sent }
  }

  headersOf = (notification: Notification): Record<string, string> => this.#request(notification, {}).headers

  send = async (notification: Notification, change: Change = {}): Promise<HandlerAnswer> => {
    const { headers, body } = this.#request(notification, change)
    const answer = await forward(this.#target.address, headers, body, { clock: this.#surroundings.clock })
    if (answer.error !== 'connection_failed') return answer
    throw new Failure([`Nothing answers at ${this.#target.address}. Start your handler, then check again.`], 3)
  }

  /** Sends it and expects 2xx in time. */
  expectTaken = async (sent: string, notification: Notification, change: Change = {}): Promise<boolean> =>
    this.noteTaken(sent, await this.send(notification, change))

  /** Records whether an answer is 2xx and in time. */
  noteTaken = (sent: string, answer: HandlerAnswer): boolean => {
    const { answerWithinMs } = this.#target
    const isInTime = answer.latencyMs <= answerWithinMs
    return this.#note(sent, `2xx within ${answerWithinMs} ms`, printAnswer(answer), isTaken(answer) && isInTime)
  }

  /** Sends it and expects a refusal: 4xx. */
  expectRefused = async (sent: string, notification: Notification, change: Change): Promise<boolean> => {
    const answer = await this.send(notification, change)
    const { status = 0 } = answer
    return this.#note(sent, '4xx', printAnswer(answer), status >= 400 && status < 500)
  }

  /** Sends all of it or its first half, and closes the connection without waiting for the answer. */
  hangUp = async (notification: Notification, part: 'whole' | 'half'): Promise<void> => {
    const { headers, body } = this.#request(notification, {})
    const { address } = this.#target
    const length = Buffer.byteLength(body)
    const request = (address.startsWith('https:') ? requestSecure : requestPlain)(address, {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
    })
    request.on('error', () => undefined)
    const text = Buffer.from(body).subarray(0, part === 'half' ? Math.floor(length / 2) : length)
    // A failed connection never calls back.
    await Promise.race([new Promise<void>((done) => request.write(text, () => done())), sleep(2000)])
    await sleep(20)
    request.destroy()
    await sleep(200)
  }

  #isAcknowledged = async (orderId: string): Promise<boolean> =>
    (await this.#payin.payments.timeline(orderId)).acknowledgedAt !== undefined

  #waitForAck = async (orderId: string, withinMs: number): Promise<boolean> => {
    const end = this.#surroundings.clock() + withinMs
    while (this.#surroundings.clock() < end) {
      if (await this.#isAcknowledged(orderId)) return true
      await sleep(lookEveryMs)
    }
    return this.#isAcknowledged(orderId)
  }

  expectAck = async ({ orderId }: PlayedPayment): Promise<boolean> => {
    const { ackWithinMs } = this.#target
    const came = await this.#waitForAck(orderId, ackWithinMs)
    const happened = came ? 'acknowledged' : 'not acknowledged'
    return this.#note(`then, for ${orderId}`, `an ack at the service within ${ackWithinMs} ms`, happened, came)
  }

  /** Expects this amount to be what the shop has credited to the user, if it reports that. */
  expectCredited = async ({ userId }: PlayedPayment, amount: number): Promise<boolean> => {
    const { balanceAt, ackWithinMs } = this.#target
    if (balanceAt === undefined) return true
    const address = balanceAt.replaceAll('{user}', encodeURIComponent(userId))
    const read = async (): Promise<string> =>
      fetch(address, { signal: AbortSignal.timeout(handlerTimeoutMs) }).then(
        (response) => response.text(),
        (error: unknown) => String(error),
      )
    const end = this.#surroundings.clock() + ackWithinMs
    let text = await read()
    // The handler may go on working after its ack.
    while (balanceOf(text) !== amount && this.#surroundings.clock() < end) {
      await sleep(lookEveryMs)
      text = await read()
    }
    const shown = text.slice(0, 100)
    return this.#note(`GET ${address}`, `${amount} credited`, shown, balanceOf(text) === amount)
  }
}
