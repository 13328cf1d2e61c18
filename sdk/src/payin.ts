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
/** The body of `payments.create`. */
export type CreatePayment = Body<'createPayment'>
/** The answer of `payments.create`: the payment, where to send the money, and the payer's page. */
export type CreatedPayment = Answer<'createPayment'>

/** The body of `links.create`. */
export type CreateLink = Body<'createLink'>
/** A payment link. */
export type PaymentLink = Answer<'getLink'>

/** The body of `refunds.create`. */
export type CreateRefund = Body<'requestRefund'>
/** A refund. */
export type Refund = Answer<'requestRefund'>

/** The body of `balance.requestSettlement`. */
export type RequestSettlement = Body<'requestSettlement'>
/** A settlement. */
export type Settlement = Answer<'requestSettlement'>

/** Options of `payments.waitFor`. */
export type WaitOptions = CallOptions & {
  /** The statuses to wait for. Default: those that end a payment or pay it. */
  readonly until?: readonly PaymentStatus[]
  /** Milliseconds after which it throws `PayinTimeoutError`. Default: an hour. */
  readonly timeoutMs?: number
}

const outcomes: readonly PaymentStatus[] = ['paid', 'disput-paid', 'expired', 'canceled', 'failed']
const longestPollSeconds = 25
/** Pause after an answer that was not held: the status of a closed payment is answered immediately. */
const earlyPauseMs = 1000

/** All rows of a list; pages are fetched as they are needed. */
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

/** A merchant's access to Payin. Every method throws `PayinError` if Payin refuses. */
export class Payin {
  readonly #send: Requester

  /** Throws `TypeError` if `baseUrl` is not an address (with or without `/api/v1`), or the token is empty. */
  constructor(options: Options) {
    this.#send = createRequester(options)
  }

  /** The merchant to which the token belongs, and what the token may do. */
  me = (options?: CallOptions): Promise<Answer<'getOwnMerchant'>> => this.#send('getOwnMerchant', {}, options)

  readonly payments = {
    /** Currencies with the smallest and the largest amount. */
    currencies: async (options?: CallOptions) => (await this.#send('listCurrencies', {}, options)).currencies,

    /** Banks whose code a payment may name. */
    bankIssuers: async (options?: CallOptions) => (await this.#send('listBankIssuers', {}, options)).bankIssuers,

    /** Creates a payment. The same `orderId` with the same values returns the same payment, so repeating it is safe. */
    create: (body: CreatePayment, options?: CallOptions) => this.#send('createPayment', { body }, options),

    /** The details of a payment, with the `finalAmount` of a `disput-paid` one. */
    get: (orderId: string, options?: CallOptions) => this.#send('getPayment', { path: { orderId } }, options),

    /** The status of a payment. With `wait` (seconds) it is answered when it changes or the time is over. */
    status: (orderId: string, query?: Query<'getPaymentStatus'>, options?: CallOptions) =>
      this.#send('getPaymentStatus', { path: { orderId }, query }, options),

    /** Waits until a payment has an outcome; throws `PayinTimeoutError` if that takes too long. */
    waitFor: async (orderId: string, { until = outcomes, timeoutMs = 3_600_000, signal }: WaitOptions = {}) => {
      const end = Date.now() + timeoutMs
      // The first request does not wait: its answer would be held while the payment already has a wanted status.
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

    /** Cancels a payment before any money has come. */
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

    /** Everything that has happened to a payment. */
    timeline: (orderId: string, options?: CallOptions) =>
      this.#send('getOwnPaymentTimeline', { path: { orderId } }, options),
  }

  /** Pages where payers start payments to you; they need no server of yours. */
  readonly links = {
    /** Creates a link; give its `url` to payers. */
    create: (body: CreateLink, options?: CallOptions) => this.#send('createLink', { body }, options),
    get: (linkId: string, options?: CallOptions) => this.#send('getLink', { path: { linkId } }, options),
    /** Closes a link permanently; payments that were started continue. */
    close: (linkId: string, options?: CallOptions) => this.#send('closeLink', { path: { linkId }, body: {} }, options),
    /** A page of links, newest first. */
    page: (query?: Query<'listLinks'>, options?: CallOptions) => this.#send('listLinks', { query }, options),
    /** All links, newest first. Their payments: `payin.payments.list({ linkId })`. */
    list: (query?: Query<'listLinks'>, options?: CallOptions) =>
      eachRow(
        (cursor) => this.links.page({ ...query, ...(cursor !== undefined && { cursor }) }, options),
        ({ links }) => links,
      ),
    /** Links as CSV. */
    csv: (query?: Query<'exportOwnLinks'>, options?: CallOptions) => this.#send('exportOwnLinks', { query }, options),
  }

  /** Money that goes back to payers. */
  readonly refunds = {
    /**
     * Refunds a payment, or a part of it, under your own `reference`: repeating it returns the same refund. It is done
     * when the bank has reported it; subscribe to `refund.done` and `refund.failed`.
     */
    create: (orderId: string, body: CreateRefund, options?: CallOptions) =>
      this.#send('requestRefund', { path: { orderId }, body }, options),
    get: (refundId: string, options?: CallOptions) => this.#send('getRefund', { path: { id: refundId } }, options),
    /** Cancels a refund that was not sent yet. */
    cancel: (refundId: string, options?: CallOptions) =>
      this.#send('cancelRefund', { path: { id: refundId }, body: {} }, options),
    /** A page of refunds, newest first; with `orderId` of one payment. */
    page: (query?: Query<'listRefunds'>, options?: CallOptions) => this.#send('listRefunds', { query }, options),
    /** All refunds, newest first. */
    list: (query?: Query<'listRefunds'>, options?: CallOptions) =>
      eachRow(
        (cursor) => this.refunds.page({ ...query, ...(cursor !== undefined && { cursor }) }, options),
        ({ refunds }) => refunds,
      ),
    /** Refunds as CSV. */
    csv: (query?: Query<'exportOwnRefunds'>, options?: CallOptions) =>
      this.#send('exportOwnRefunds', { query }, options),
  }

  readonly disputes = {
    /** Claims that the payer has sent this amount. */
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
    /** Endpoints as CSV. */
    csv: (options?: CallOptions) => this.#send('exportOwnEndpoints', {}, options),
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
    /** The deliveries of an endpoint as CSV. */
    deliveriesCsv: (endpointId: string, query?: Query<'exportOwnDeliveries'>, options?: CallOptions) =>
      this.#send('exportOwnDeliveries', { path: { endpointId }, query }, options),
    delivery: (endpointId: string, eventId: string, options?: CallOptions) =>
      this.#send('getDelivery', { path: { endpointId, eventId } }, options),
    /** Sends one event again. */
    redeliver: (endpointId: string, eventId: string, options?: CallOptions) =>
      this.#send('redeliver', { path: { endpointId, eventId }, body: {} }, options),
    /** Sends all events since a time again. */
    redeliverSince: (endpointId: string, since: Date, options?: CallOptions) =>
      this.#send('redeliverSince', { path: { endpointId }, body: { since: since.toISOString() } }, options),
  }

  /** The latest requests of your programs, and their answers. */
  readonly requests = {
    page: (query?: Query<'listRequests'>, options?: CallOptions) => this.#send('listRequests', { query }, options),
    /** All of them as CSV, without their bodies. */
    csv: (query?: Query<'exportOwnRequests'>, options?: CallOptions) =>
      this.#send('exportOwnRequests', { query }, options),
    /** A request with its bodies, by the `requestId` of an error. */
    get: (id: string, options?: CallOptions) => this.#send('getRequest', { path: { id } }, options),
  }

  readonly listeners = {
    /** Adds an endpoint without an address: `take` fetches its deliveries. It ends two minutes after the last call. */
    create: (body: Body<'createListener'> = {}, options?: CallOptions) =>
      this.#send('createListener', { body }, options),
    /** Reports the results of the last deliveries, and returns those that are due; waits up to `wait` seconds. */
    take: (endpointId: string, body: Body<'takeDeliveries'> = {}, options?: CallOptions) =>
      this.#send('takeDeliveries', { path: { endpointId }, body }, options),
  }

  /** A page of the event feed from after the cursor `after`: needs no endpoints and misses nothing. */
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
    /** All entries as CSV. */
    entriesCsv: (options?: CallOptions) => this.#send('exportOwnEntries', {}, options),
    /** A statement of the account, as CSV or camt.053. */
    statement: (query: Query<'getAccountStatement'>, options?: CallOptions) =>
      this.#send('getAccountStatement', { query }, options),
    /** The report of a day or a month, as a page or CSV. */
    report: (query: Query<'getReport'>, options?: CallOptions) => this.#send('getReport', { query }, options),
    settlements: (query?: Query<'listSettlements'>, options?: CallOptions) =>
      eachRow(
        (cursor) =>
          this.#send('listSettlements', { query: { ...query, ...(cursor !== undefined && { cursor }) } }, options),
        ({ settlements }) => settlements,
      ),
    /** Settlements as CSV. */
    settlementsCsv: (query?: Query<'exportOwnSettlements'>, options?: CallOptions) =>
      this.#send('exportOwnSettlements', { query }, options),
    settlement: (id: string, options?: CallOptions) => this.#send('readSettlement', { path: { id } }, options),
    /** What a settlement pays out: all that moved the balance since the one before it, newest first. */
    settlementEntries: (id: string, options?: CallOptions) =>
      eachRow(
        (cursor) =>
          this.#send(
            'listEntriesOfSettlement',
            { path: { id }, query: cursor === undefined ? {} : { cursor } },
            options,
          ),
        ({ entries }) => entries,
      ),
    /** The same as CSV. */
    settlementEntriesCsv: (id: string, options?: CallOptions) =>
      this.#send('exportOwnEntriesOfSettlement', { path: { id } }, options),
    /**
     * Asks for a settlement of the balance, or of a part of it, under your own `reference`: repeating it returns the same
     * settlement. Subscribe to `settlement.paid` and `settlement.failed`.
     */
    requestSettlement: (body: RequestSettlement, options?: CallOptions) =>
      this.#send('requestSettlement', { body }, options),
    /** Cancels a settlement that you asked for and nobody has approved. */
    cancelSettlement: (id: string, options?: CallOptions) =>
      this.#send('cancelSettlement', { path: { id }, body: {} }, options),
    /** Where settlements may be sent, newest first. */
    destinations: (options?: CallOptions) =>
      eachRow(
        (cursor) => this.#send('listDestinations', { query: cursor === undefined ? {} : { cursor } }, options),
        ({ destinations }) => destinations,
      ),
    /** Destinations as CSV. */
    destinationsCsv: (options?: CallOptions) => this.#send('exportOwnDestinations', {}, options),
    /** Asks for a wallet or a bank account as a destination; the operator approves it. */
    requestDestination: (body: Body<'requestDestination'>, options?: CallOptions) =>
      this.#send('requestDestination', { body }, options),
    /** Retires a destination at once and for good. */
    retireDestination: (id: string, options?: CallOptions) =>
      this.#send('retireOwnDestination', { path: { id }, body: {} }, options),
  }

  readonly sandbox = {
    /** Lets the simulated bank or payer act on a payment of a sandbox merchant. */
    simulate: (orderId: string, body: Body<'simulatePayment'>, options?: CallOptions) =>
      this.#send('simulatePayment', { path: { orderId }, body }, options),
    /** Turns the clock of a sandbox merchant forward: everything that is still to come happens that much sooner. */
    turnClock: (body: Body<'turnSandboxClock'>, options?: CallOptions) =>
      this.#send('turnSandboxClock', { body }, options),
    /** A statement of the simulated bank: what it received for the merchant's payments on a day. */
    statement: (query?: Query<'getSandboxStatement'>, options?: CallOptions) =>
      this.#send('getSandboxStatement', { query: { ...query } }, options),
  }
}
