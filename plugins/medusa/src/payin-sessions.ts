import type { Payin, PayinError, PaymentStatus, webhooks } from 'payin-sdk'

/** Options of the provider, in `medusa-config.ts`. */
export type PayinOptions = {
  /** Address of Payin, such as `https://pay.example.com`. */
  readonly baseUrl: string
  /** A token of the merchant that may read and write payments, and ask for refunds. */
  readonly token: string
  /** Secret of the endpoint whose address is `/hooks/payment/payin_payin` of Medusa, `whsec_…`. */
  readonly webhookSecret: string
  /** How customers pay, if the storefront does not set `data.method`. Default: `sbp`. */
  readonly method?: string
  /** Where the payer's page sends the payer back to, if the storefront does not set `data.returnUrl`. */
  readonly returnUrl?: string
}

/** The `data` of a payment session; the storefront sends the customer to `redirectUrl`. */
export type SessionData = {
  readonly session_id: string
  /** The order at Payin: the session's id, followed by a number if its amount has changed. */
  readonly orderId: string
  readonly amount: number
  readonly currency: string
  readonly redirectUrl: string
  readonly status: PaymentStatus
  /** The credited amount, if it is not `amount`. */
  readonly finalAmount?: number
  readonly method?: string
  readonly returnUrl?: string
}

/** Medusa's words for the state of a session. */
type SessionStatus = 'pending' | 'authorized' | 'canceled' | 'error'

/** A refusal, with a message for people. */
export class Refused extends Error {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** Data of a session as Medusa passes it. */
type Given = Readonly<Record<string, unknown>> | undefined

type Wanted = { readonly session: string; readonly number: number; readonly given: Given }

const textOf = (given: Given, name: string): string | undefined => {
  const value = given?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const orderOf = (given: Given): string => {
  const orderId = textOf(given, 'orderId')
  if (orderId === undefined) throw new Refused('This payment session has no payment at Payin.', 'payment_not_found')
  return orderId
}

/** `payses_1` and `payses_1-2` are orders of the session `payses_1`. */
const sessionOf = (orderId: string): string => orderId.replace(/-\d+$/, '')
const numberOf = (orderId: string): number => Number(/-(\d+)$/.exec(orderId)?.[1] ?? 1)

const isRefusal = (error: unknown): error is PayinError => error instanceof Error && error.name === 'PayinError'

const orRefused = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (isRefusal(error) && error.status < 500) throw new Refused(error.message, error.code)
    throw error
  }
}

/**
 * A paid payment makes the session `authorized`, not `captured`: Medusa captures it next, and capturing acknowledges
 * it. An unknown status means "not decided yet".
 */
const statusOf = (status: PaymentStatus): SessionStatus => {
  switch (status) {
    case 'paid':
    case 'disput-paid':
      return 'authorized'
    case 'expired':
    case 'canceled':
      return 'canceled'
    case 'failed':
      return 'error'
    default:
      return 'pending'
  }
}

/** `payment.ack-overdue` comes if a notification was lost, or Medusa failed to handle it. */
const meansMoney: ReadonlySet<string> = new Set(['payment.paid', 'payment.disput-paid', 'payment.ack-overdue'])

/** Medusa's payment sessions as payments of Payin: one order per session and amount. */
export class PayinSessions {
  readonly #payin: Payin
  readonly #verify: typeof webhooks.verify
  readonly #options: PayinOptions

  constructor(payin: Payin, verify: typeof webhooks.verify, options: PayinOptions) {
    this.#payin = payin
    this.#verify = verify
    this.#options = options
  }

  /** Creates the payment of a new session. Doing it again for the same session returns the same payment. */
  async begin(
    given: Given,
    amount: number,
    currency: string,
    userId: string | undefined,
  ): Promise<{ id: string; status: SessionStatus; data: SessionData }> {
    const session = textOf(given, 'session_id')
    if (session === undefined) throw new Refused('Medusa passed no payment session.', 'invalid_request')
    const data = await this.#create({ session, number: 1, given }, amount, currency, userId)
    return { id: data.orderId, status: statusOf(data.status), data }
  }

  /** Cancels the payment and creates another one for the new amount, because a payment's amount never changes. */
  async change(
    given: Given,
    amount: number,
    currency: string,
    userId: string | undefined,
  ): Promise<{ status: SessionStatus; data: SessionData }> {
    const orderId = orderOf(given)
    if (given?.['amount'] === amount && given['currency'] === currency.toLowerCase()) return this.read(given)
    await this.cancel(given)
    const next = { session: sessionOf(orderId), number: numberOf(orderId) + 1, given }
    const data = await this.#create(next, amount, currency, userId)
    return { status: statusOf(data.status), data }
  }

  async #create(
    { session, number, given }: Wanted,
    amount: number,
    currency: string,
    userId: string | undefined,
  ): Promise<SessionData> {
    const method = textOf(given, 'method') ?? this.#options.method ?? 'sbp'
    const returnUrl = textOf(given, 'returnUrl') ?? this.#options.returnUrl
    const order = {
      orderId: number === 1 ? session : `${session}-${number}`,
      amount,
      currency: currency.toLowerCase(),
      method,
      ...(userId !== undefined && { userId }),
      ...(returnUrl !== undefined && { returnUrl }),
    }
    const body = { ...order, type: 'direct' } as Parameters<Payin['payments']['create']>[0]
    const { redirectUrl, payment } = await orRefused(this.#payin.payments.create(body))
    const { orderId } = order
    const kept = { method, ...(returnUrl !== undefined && { returnUrl }) }
    return {
      ...kept,
      session_id: session,
      orderId,
      amount,
      currency: order.currency,
      redirectUrl,
      status: payment.status,
    }
  }

  /** The current state of a session. */
  async read(given: Given): Promise<{ status: SessionStatus; data: SessionData }> {
    const { status, finalAmount } = await orRefused(this.#payin.payments.get(orderOf(given)))
    const data = { ...given, status, ...(finalAmount !== undefined && { finalAmount }) } as SessionData
    return { status: statusOf(status), data }
  }

  /** Acknowledges a paid payment, so that Payin knows that the shop delivers. Refuses if it is not paid. */
  async acknowledge(given: Given): Promise<SessionData> {
    const { status, data } = await this.read(given)
    if (status !== 'authorized') {
      throw new Refused(`Nothing to capture: the payment at Payin is ${data.status}.`, 'invalid_state')
    }
    await orRefused(this.#payin.payments.ack(data.orderId, data.status))
    return data
  }

  /** Cancels a payment without money; a closed one stays as it is. Refuses once money has come. */
  async cancel(given: Given): Promise<SessionData> {
    try {
      const { status } = await this.#payin.payments.cancel(orderOf(given))
      return { ...given, status } as SessionData
    } catch (error) {
      if (!isRefusal(error) || error.status >= 500) throw error
      const { status, data } = await this.read(given)
      if (status === 'canceled' || status === 'error') return data
      throw new Refused(`The customer has begun to pay: the payment at Payin is ${data.status}.`, error.code)
    }
  }

  /**
   * Asks Payin to give an amount back, under Medusa's own id of the refund: asking again is the same refund. The operator
   * sends the money later; `refund.done` and `refund.failed` notify the merchant. Refuses more than is left.
   */
  async refund(given: Given, amount: number, reference: string): Promise<Readonly<Record<string, unknown>>> {
    const { id, status } = await orRefused(this.#payin.refunds.create(orderOf(given), { reference, amount }))
    const earlier = (given?.['refunds'] ?? {}) as Readonly<Record<string, unknown>>
    return { ...given, refunds: { ...earlier, [reference]: { id, status, amount } } }
  }

  /** What a notification means for its session. Throws if it is not from Payin. */
  async readNotification(
    body: string | Buffer,
    headers: Readonly<Record<string, unknown>>,
  ): Promise<
    { action: 'captured'; data: { session_id: string; amount: number } } | { action: 'not_supported' | 'pending' }
  > {
    const given = headers as Readonly<Record<string, string | readonly string[] | undefined>>
    const { type, data } = await this.#verify({ body, headers: given, secret: this.#options.webhookSecret })
    if (!meansMoney.has(type) || !('orderId' in data)) return { action: 'not_supported' }
    // Medusa reads notifications some time after they came, so the current state is read here.
    const { status, amount, finalAmount = amount } = await this.#payin.payments.get(data.orderId)
    if (statusOf(status) !== 'authorized') return { action: 'pending' }
    // More than the order's amount cannot be captured; the session's data contain what was credited.
    return { action: 'captured', data: { session_id: sessionOf(data.orderId), amount: Math.min(amount, finalAmount) } }
  }
}
