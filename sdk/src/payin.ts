import { PayinTimeoutError } from './errors.ts'
import {
  type Answer,
  type CallOptions,
  createRequester,
  type Input,
  type Name,
  type Options,
  type Requester,
  sleep,
} from './request.ts'

type Query<N extends Name> = Input<N> extends { query: infer Q } ? NonNullable<Q> : never
type Body<N extends Name> = Input<N> extends { body: infer B } ? NonNullable<B> : never

/** A status of a payment. Treat one that you do not know as not decided yet. */
export type PaymentStatus = Answer<'getPaymentStatus'>['status']
/** A payment in a list. */
export type ListedPayment = Answer<'listPayments'>['payments'][number]
/** What `payments.create` takes. */
export type CreatePayment = Body<'createPayment'>
/** What `payments.create` gives: the payment, where to send the money, and the page for the payer. */
export type CreatedPayment = Answer<'createPayment'>

/** What `links.create` takes. */
export type CreateLink = Body<'createLink'>
/** A payment link. */
export type PaymentLink = Answer<'getLink'>

/** How `payments.waitFor` waits. */
export type WaitOptions = CallOptions & {
  /** The statuses to wait for. Default: those that end a payment or pay it. */
  readonly until?: readonly PaymentStatus[]
  /** Milliseconds after which it throws `PayinTimeoutError`. Default: an hour. */
  readonly timeoutMs?: number
}

const outcomes: readonly PaymentStatus[] = ['paid', 'disput-paid', 'expired', 'canceled', 'failed']
const longestPollSeconds = 25
/** Pause after an answer that came before its time: the status of a closed payment is answered at once. */
const earlyPauseMs = 1000

/** All rows of a list, page by page as they are needed. */
async function* eachRow<Page extends { nextCursor?: string }, Row>(
  read: (cursor: string | undefined) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): AsyncGenerator<Row, void> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield* rowsOf(page)
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** A merchant's access to Payin. Every method throws `PayinError` where Payin refuses. */
export class Payin {
  readonly #send: Requester

  /** Throws `TypeError` if `baseUrl` is no address, or the token is empty. */
  constructor(options: Options) {
    this.#send = createRequester(options)
  }

  /** The merchant that the token belongs to, and what the token may do. */
  me = (options?: CallOptions): Promise<Answer<'getOwnMerchant'>> => this.#send('getOwnMerchant', {}, options)

  readonly payments = {
    /** Currencies with the smallest and the largest amount. */
    currencies: async (options?: CallOptions) => (await this.#send('listCurrencies', {}, options)).currencies,

    /** Banks whose code a payment may name. */
    bankIssuers: async (options?: CallOptions) => (await this.#send('listBankIssuers', {}, options)).bankIssuers,

    /** Creates a payment. The same `orderId` with the same values gives the same payment, so repeating it is safe. */
    create: (body: CreatePayment, options?: CallOptions) => this.#send('createPayment', { body }, options),

    /** The details of a payment; `finalAmount` of one that is `disput-paid`. */
    get: (orderId: string, options?: CallOptions) => this.#send('getPayment', { path: { orderId } }, options),

    /** The status of a payment; with `wait` (seconds) once it changes or the time is over. */
    status: (orderId: string, query?: Query<'getPaymentStatus'>, options?: CallOptions) =>
      this.#send('getPaymentStatus', { path: { orderId }, query }, options),

    /** Waits until a payment has an outcome; throws `PayinTimeoutError` where that takes too long. */
    waitFor: async (orderId: string, { until = outcomes, timeoutMs = 3_600_000, signal }: WaitOptions = {}) => {
      const end = Date.now() + timeoutMs
      // The first look does not wait: the answer would be held for as long as the payment keeps a wanted status.
      for (let longest = 0; ; longest = longestPollSeconds) {
        const leftSeconds = Math.max(0, Math.floor((end - Date.now()) / 1000))
        const wait = Math.min(longest, leftSeconds)
        const askedAt = Date.now()
        const calling = { timeoutMs: (wait + 15) * 1000, ...(signal && { signal }) }
        const answer = await this.payments.status(orderId, { wait }, calling)
        if (until.includes(answer.status)) return answer
        if (leftSeconds < 1) throw new PayinTimeoutError(orderId, answer.status)
        const earlyMs = askedAt + wait * 1000 - Date.now()
        if (earlyMs > 0) await sleep(Math.min(earlyPauseMs, earlyMs), signal)
      }
    },

    /** Confirms that you have seen `paid` or `disput-paid` and deliver the order. Repeating it is safe. */
    ack: (orderId: string, status?: PaymentStatus, options?: CallOptions) =>
      this.#send('acknowledgePayment', { body: { orderId, ...(status && { status }) } }, options),

    /** Cancels a payment for which nothing has come. */
    cancel: (orderId: string, options?: CallOptions) => this.#send('cancelPayment', { body: { orderId } }, options),

    /** A page of payments, newest first. */
    page: (query?: Query<'listPayments'>, options?: CallOptions) => this.#send('listPayments', { query }, options),

    /** All payments that match, newest first: `for await (const payment of payin.payments.list())`. */
    list: (query?: Query<'listPayments'>, options?: CallOptions) =>
      eachRow(
        (cursor) => this.payments.page({ ...query, ...(cursor !== undefined && { cursor }) }, options),
        ({ payments }) => payments,
      ),

    /** Payments as CSV. */
    csv: (query?: Query<'exportOwnPayments'>, options?: CallOptions) =>
      this.#send('exportOwnPayments', { query }, options),

    /** All that has happened to a payment. */
    timeline: (orderId: string, options?: CallOptions) =>
      this.#send('getOwnPaymentTimeline', { path: { orderId } }, options),
  }

  /** Pages at which payers start payments to you, without a server of your own. */
  readonly links = {
    /** Creates a link; give its `url` to payers. */
    create: (body: CreateLink, options?: CallOptions) => this.#send('createLink', { body }, options),
    get: (linkId: string, options?: CallOptions) => this.#send('getLink', { path: { linkId } }, options),
    /** Closes a link for good; payments that were started go on. */
    close: (linkId: string, options?: CallOptions) => this.#send('closeLink', { path: { linkId }, body: {} }, options),
    /** A page of links, newest first. */
    page: (query?: Query<'listLinks'>, options?: CallOptions) => this.#send('listLinks', { query }, options),
    /** All links, newest first. Their payments: `payin.payments.list({ linkId })`. */
    list: (query?: Query<'listLinks'>, options?: CallOptions) =>
      eachRow(
        (cursor) => this.links.page({ ...query, ...(cursor !== undefined && { cursor }) }, options),
        ({ links }) => links,
      ),
  }

  readonly disputes = {
    /** Says that the payer sent this amount. */
    open: (orderId: string, body: Body<'openDispute'>, options?: CallOptions) =>
      this.#send('openDispute', { path: { orderId }, body }, options),
    get: (orderId: string, options?: CallOptions) => this.#send('getDispute', { path: { orderId } }, options),
    withdraw: (orderId: string, options?: CallOptions) =>
      this.#send('withdrawDispute', { path: { orderId }, body: {} }, options),
    /** Adds a receipt: a `Blob` with its type, or the bytes. */
    addEvidence: (orderId: string, body: Blob | Uint8Array, options?: CallOptions) =>
      this.#send('addDisputeEvidence', { path: { orderId }, body }, options),
  }

  readonly endpoints = {
    list: async (options?: CallOptions) => (await this.#send('listEndpoints', {}, options)).endpoints,
    /** Adds an endpoint. Only this answer and that of `rotate` contain the secret. */
    create: (body: Body<'createEndpoint'>, options?: CallOptions) => this.#send('createEndpoint', { body }, options),
    get: (endpointId: string, options?: CallOptions) => this.#send('getEndpoint', { path: { endpointId } }, options),
    update: (endpointId: string, body: Body<'updateEndpoint'>, options?: CallOptions) =>
      this.#send('updateEndpoint', { path: { endpointId }, body }, options),
    remove: (endpointId: string, options?: CallOptions) =>
      this.#send('removeEndpoint', { path: { endpointId } }, options),
    /** Replaces the secret; the old one also signs for `overlapMs`. */
    rotate: (endpointId: string, body: Body<'rotateEndpointSecret'> = {}, options?: CallOptions) =>
      this.#send('rotateEndpointSecret', { path: { endpointId }, body }, options),
    /** Sends a test event. */
    test: (endpointId: string, options?: CallOptions) =>
      this.#send('testEndpoint', { path: { endpointId }, body: {} }, options),
    deliveries: (endpointId: string, query?: Query<'listDeliveries'>, options?: CallOptions) =>
      eachRow(
        (cursor) =>
          this.#send(
            'listDeliveries',
            { path: { endpointId }, query: { ...query, ...(cursor !== undefined && { cursor }) } },
            options,
          ),
        ({ deliveries }) => deliveries,
      ),
    delivery: (endpointId: string, eventId: string, options?: CallOptions) =>
      this.#send('getDelivery', { path: { endpointId, eventId } }, options),
    /** Sends one event again. */
    redeliver: (endpointId: string, eventId: string, options?: CallOptions) =>
      this.#send('redeliver', { path: { endpointId, eventId }, body: {} }, options),
    /** Sends all events since a time again. */
    redeliverSince: (endpointId: string, since: Date, options?: CallOptions) =>
      this.#send('redeliverSince', { path: { endpointId }, body: { since: since.toISOString() } }, options),
  }

  /** What your programs have asked lately, and how they were answered. */
  readonly requests = {
    page: (query?: Query<'listRequests'>, options?: CallOptions) => this.#send('listRequests', { query }, options),
    /** A request with its bodies, by the `requestId` of an error. */
    get: (id: string, options?: CallOptions) => this.#send('getRequest', { path: { id } }, options),
  }

  readonly listeners = {
    /** Adds an endpoint without an address: its deliveries are fetched by `take`. It ends two minutes after the last one. */
    create: (body: Body<'createListener'> = {}, options?: CallOptions) =>
      this.#send('createListener', { body }, options),
    /** Reports the results of what was given last, and gets what is due; waits for it up to `wait` seconds. */
    take: (endpointId: string, body: Body<'takeDeliveries'> = {}, options?: CallOptions) =>
      this.#send('takeDeliveries', { path: { endpointId }, body }, options),
  }

  /** A page of the feed of events behind `after`: a way without endpoints, with nothing missing. */
  events = (query?: Query<'listEvents'>, options?: CallOptions): Promise<Answer<'listEvents'>> =>
    this.#send('listEvents', { query }, options)

  readonly balance = {
    get: (options?: CallOptions) => this.#send('getBalance', {}, options),
    /** All entries of the balance, newest first. */
    entries: (options?: CallOptions) =>
      eachRow(
        (cursor) => this.#send('listEntries', { query: cursor === undefined ? {} : { cursor } }, options),
        ({ entries }) => entries,
      ),
    /** A statement of the account, as CSV or camt.053. */
    statement: (query: Query<'getAccountStatement'>, options?: CallOptions) =>
      this.#send('getAccountStatement', { query }, options),
    settlements: (query?: Query<'listSettlements'>, options?: CallOptions) =>
      eachRow(
        (cursor) =>
          this.#send('listSettlements', { query: { ...query, ...(cursor !== undefined && { cursor }) } }, options),
        ({ settlements }) => settlements,
      ),
    settlement: (id: string, options?: CallOptions) => this.#send('readSettlement', { path: { id } }, options),
  }

  readonly sandbox = {
    /** Lets the simulated bank or payer do something with a payment of a sandbox merchant. */
    simulate: (orderId: string, body: Body<'simulatePayment'>, options?: CallOptions) =>
      this.#send('simulatePayment', { path: { orderId }, body }, options),
    /** Turns the clock of a sandbox merchant forward: whatever is still to come comes as much sooner. */
    turnClock: (body: Body<'turnSandboxClock'>, options?: CallOptions) =>
      this.#send('turnSandboxClock', { body }, options),
    /** A statement of the simulated bank: what it received for the merchant's payments on a day. */
    statement: (query?: Query<'getSandboxStatement'>, options?: CallOptions) =>
      this.#send('getSandboxStatement', { query: { ...query } }, options),
  }
}
