// Generated from the OpenAPI document by `npm run generate`.

export type AcknowledgedPayment = {
  id: Id
  orderId: string
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
  acknowledgedAt: Time
}

export type BalanceEntry = {
  id: Id
  /** One of credit, assign, reverse, hold, release, adjust; more may be added. */
  kind: string
  currency: string
  /** Change of the available balance; below zero for a decrease. */
  amount: number
  /** Fee that was deducted; not part of `amount`. */
  deducted: number
  paymentId?: Id
  orderId?: string
  /** Reference of the settlement, decision or adjustment. */
  reference?: string
  postedAt: Time
}

export type Caller = {
  merchantId: Id
  /** Name of the merchant. */
  name: string
  mode: 'live' | 'sandbox'
  /** What the caller may do. Each operation names the scope that it needs in `x-scope`. */
  scopes: Array<
    | 'payments:read'
    | 'payments:write'
    | 'refunds:write'
    | 'notifications:read'
    | 'notifications:write'
    | 'balance:read'
    | 'settlements:write'
    | 'sandbox:simulate'
  >
  /** The merchant's member who is signed in to the console; absent if a token is used. */
  member?: string
}

export type CanceledPayment = {
  id: Id
  orderId: string
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
}

export type ClockTurn = {
  /** Milliseconds, at most 90 days; to turn farther, call again. */
  forwardMs: number
}

export type CreatedPayment = {
  payment: {
    id: Id
    /** By the code of your quote currency, such as `USDT`: the price of one of it. */
    rate: Record<
      string,
      {
        price: number
        createdAt: Time
      }
    >
    orderId: string
    userId: string
    /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
    status: PaymentStatus
    amount: number
    sourcePan: string
    currency: string
    total: {
      currency: string
      amount: number
    }
    expiredAt: Time
  }
  card: {
    id: Id
    /** Card or account number (`card-to-card`, `account-to-account`), `direct` only. */
    pan?: string
    /** Phone number (`sbp`, `by-phone`), digits only, `direct` only. */
    phone?: string
    bankIssuer: string
  }
  redirectUrl: string
}

/** Currency code in small letters, such as `rub`. */
export type Currency = string

export type Delivery = {
  /** The `webhook-id`. */
  eventId: Id
  type: string
  paymentId?: Id
  /** The payment's orderId. */
  orderId?: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  nextAttemptAt?: Time
  queuedAt: Time
  finishedAt?: Time
}

export type DeliveryAttempt = {
  attempt: number
  at: Time
  /** HTTP status of the response. */
  status?: number
  /** Why there was no response. */
  error?: string
  latencyMs: number
  /** Start of the response's body. */
  excerpt: string
}

export type DeliveryLog = {
  /** The `webhook-id`. */
  eventId: Id
  type: string
  paymentId?: Id
  /** The payment's orderId. */
  orderId?: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  nextAttemptAt?: Time
  queuedAt: Time
  finishedAt?: Time
  /** The bytes sent at every attempt. */
  body: string
  /** Its attempts in order; if there are more than 100, the newest. */
  log: Array<DeliveryAttempt>
}

export type DeliveryResult = {
  /** The `webhook-id`. */
  eventId: Id
  /** Number of the attempt to make. */
  attempt: number
  /** When it was queued, or queued again. */
  queuedAt: Time
  /** HTTP status of the response. */
  status?: number
  /** Why there was no response. */
  error?: 'connection_failed' | 'timeout' | 'failed'
  /** The header `Retry-After` of the response. */
  retryAfter?: string
  latencyMs: number
  /** Start of the response's body. */
  excerpt?: string
}

export type Destination = {
  id: Id
  kind: DestinationKind
  /** In the only spelling of its kind. */
  address: string
  label: string
  /** `requested`: the merchant asks for it. `cooling`: approved, but no settlement may be sent there before `readyAt`. */
  status: 'requested' | 'proposed' | 'cooling' | 'ready' | 'retired'
  proposedAt: Time
  /** When settlements may first be sent there. Present once it is approved. */
  readyAt?: Time
  retiredAt?: Time
}

/** `tron`: USDT on TRON; `ethereum`: USDT on Ethereum; `iban`: IBAN; `ru-account`: account in Russia */
export type DestinationKind = 'tron' | 'ethereum' | 'iban' | 'ru-account'

export type Dispute = {
  id: Id
  paymentId: Id
  orderId: string
  status: PaymentStatus
  /** `open`: waits for a decision; `proposed`: waits for a second operator. */
  state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
  claimant: 'merchant' | 'payer' | 'operator' | 'service'
  currency: string
  /** The amount claimed. */
  amount: number
  paymentAmount: number
  reason: string
  note?: string
  openedAt: Time
  /** Deadline of the decision. */
  dueAt: Time
  /** Present when it was accepted. */
  finalAmount?: number
  decidedAt?: Time
  /** Why it was accepted or rejected. */
  decisionNote?: string
  evidence: Array<Evidence>
  history: Array<{
    sequence: number
    /** What happened. */
    kind: string
    by: string
    note?: string
    at: Time
  }>
}

export type Endpoint = {
  id: Id
  merchantId: Id
  /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
  url: string
  /** What it is. */
  description: string
  /** Kinds of events that the endpoint receives; empty for all. */
  kinds: Array<NotificationKind>
  enabled: boolean
  /** `gone`: it answered 410. `failing`: every attempt has failed for five days. */
  disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
  disabledAt?: Time
  /** Since when every attempt has failed. */
  failingSince?: Time
  /** Until when notifications are also signed with the previous secret. */
  previousSecretUntil?: Time
  /** For a listener, which has no address: when it is removed, unless it takes deliveries before then. */
  listeningUntil?: Time
  createdAt: Time
}

export type EndpointChange = {
  /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
  url?: string
  /** What it is. */
  description?: string
  /** Kinds of events that the endpoint receives; empty for all. */
  kinds?: Array<NotificationKind>
  enabled?: boolean
}

export type EndpointTestNotification = {
  type: 'endpoint.test'
  timestamp: Time
  data: {
    endpointId: Id
  }
}

export type EndpointWithSecret = {
  id: Id
  merchantId: Id
  /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
  url: string
  /** What it is. */
  description: string
  /** Kinds of events that the endpoint receives; empty for all. */
  kinds: Array<NotificationKind>
  enabled: boolean
  /** `gone`: it answered 410. `failing`: every attempt has failed for five days. */
  disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
  disabledAt?: Time
  /** Since when every attempt has failed. */
  failingSince?: Time
  /** Until when notifications are also signed with the previous secret. */
  previousSecretUntil?: Time
  /** For a listener, which has no address: when it is removed, unless it takes deliveries before then. */
  listeningUntil?: Time
  createdAt: Time
  /** Signs notifications. Shown only here. */
  secret: string
}

export type Event = {
  /** The same as the `webhook-id` of a notification. */
  id: Id
  type: string
  timestamp: Time
  /** As in the notification of this type. */
  data: Record<string, unknown>
}

export type Evidence = {
  id: Id
  /** Detected from the file's content. */
  contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/heic' | 'application/pdf'
  /** Bytes. */
  size: number
  by: string
  receivedAt: Time
}

/** Identifier of the service (UUID). */
export type Id = string

export type LoggedRequest = {
  /** The `requestId` of a refusal, and the header `payin-request-id` of every response. */
  id: Id
  /** When it began. */
  at: Time
  /** The operation, as the OpenAPI document names it. */
  operation: string
  method: string
  /** The path with its query, redacted. */
  path: string
  status: number
  /** Why it was refused. */
  code?: string
  durationMs: number
  /** How many similar requests this row is for: successful polls share one row, and so do floods. */
  times: number
}

export type LoggedRequestWithBodies = {
  /** The `requestId` of a refusal, and the header `payin-request-id` of every response. */
  id: Id
  /** When it began. */
  at: Time
  /** The operation, as the OpenAPI document names it. */
  operation: string
  method: string
  /** The path with its query, redacted. */
  path: string
  status: number
  /** Why it was refused. */
  code?: string
  durationMs: number
  /** How many similar requests this row is for: successful polls share one row, and so do floods. */
  times: number
  /** Its JSON without secrets and without full card, account and phone numbers; at most 4000 characters. */
  requestBody?: string
  /** The same for the response. */
  answerBody?: string
}

export type NewEndpoint = {
  /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
  url: string
  /** What it is. */
  description?: string
  /** Kinds of events that the endpoint receives; empty for all. */
  kinds?: Array<NotificationKind>
}

export type NewPayment = {
  /** `direct` shows the requisite at once; `staged` collects the payer's phone on the hosted page. */
  type: 'direct' | 'staged'
  /** Exact amount in the currency, within its min..max. */
  amount: number
  orderId: OrderId
  currency: Currency
  /** Required unless `sbpEnabled` is true. */
  method?: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
  /** Whether the page offers `sbp`, too; it changes nothing for `sbp` itself. */
  sbpEnabled?: boolean
  /** Required with, and only with, `by-phone`. */
  transferScope?: 'international'
  /** Code of the issuing bank. */
  bankIssuer?: string
  /** The merchant's own identifier of its user. */
  userId?: string
  /** Where the page sends the payer back to; on a registered host. */
  returnUrl?: string
  /** Language of the hosted page. */
  locale?: 'ru' | 'en' | 'uz' | 'kk' | 'tg'
  /** Up to 20 named texts of your own, kept with the payment and shown in lists, the timeline and notifications. Sending other metadata with the same `orderId` changes nothing. */
  metadata?: Record<string, string>
}

export type NewPaymentLink = {
  /** What is paid for, as the payer reads it. */
  title: string
  /** More about it, shown below the title. */
  description?: string
  currency: Currency
  /** How to pay. Without it the payer chooses among the methods that the merchant accepts. */
  method?: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
  /** The amount to pay. Without it the payer enters one. */
  amount?: number
  /** The least that a payer may enter. */
  minAmount?: number
  /** The most that a payer may enter. */
  maxAmount?: number
  /** `once`: one payment may be paid. `many`: any number, or up to `maxUses`. Default: `once`. */
  uses?: 'once' | 'many'
  /** How many payments may be paid; only with `many`. */
  maxUses?: number
  /** When the link stops working. Default: never. */
  endsAt?: Time
  /** Where the payer's page sends the payer back to; on a registered host. */
  returnUrl?: string
  /** Up to 20 named texts of your own, copied to each payment of the link. */
  metadata?: Record<string, string>
}

export type NotificationKind =
  | 'payment.processing'
  | 'payment.paid'
  | 'payment.disput'
  | 'payment.disput-paid'
  | 'payment.expired'
  | 'payment.canceled'
  | 'payment.failed'
  | 'payment.ack-overdue'
  | 'payment.reversed'
  | 'settlement.approved'
  | 'settlement.paid'
  | 'settlement.failed'
  | 'settlement.canceled'
  | 'refund.approved'
  | 'refund.sent'
  | 'refund.done'
  | 'refund.refused'
  | 'refund.canceled'
  | 'refund.failed'
  | 'endpoint.test'

/** The merchant's own identifier of the order, compared byte for byte. */
export type OrderId = string

export type Payment = {
  id: Id
  orderId: string
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
  statusReason: string
  type: 'direct' | 'staged'
  method: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
  currency: string
  amount: number
  receivedAmount: number
  finalAmount?: number
  userId: string
  /** Metadata that the merchant sent with the payment. */
  metadata?: Record<string, string>
  /** The payment link from which its payer started it. */
  linkId?: Id
  sourcePan: string
  createdAt: Time
  expiredAt: Time
  changedAt: Time
  acknowledgedAt?: Time
}

export type PaymentAckOverdueNotification = {
  type: 'payment.ack-overdue'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'paid' | 'disput-paid'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    /** Present with `disput-paid`. */
    finalAmount?: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
    creditedAt: Time
  }
}

export type PaymentAmounts = {
  id: Id
  orderId: string
  /** Original amount. */
  amount: number
  /** The credited amount; only with status `disput-paid`. */
  finalAmount?: number
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
  currency: string
}

export type PaymentCanceledNotification = {
  type: 'payment.canceled'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'canceled'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentDisputNotification = {
  type: 'payment.disput'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'disput'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentDisputPaidNotification = {
  type: 'payment.disput-paid'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'disput-paid'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    /** Exact amount in `currency`. */
    finalAmount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentExpiredNotification = {
  type: 'payment.expired'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'expired'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentFailedNotification = {
  type: 'payment.failed'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'failed'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentLink = {
  id: Id
  /** Address of the payer's page; give it to payers unchanged. */
  url: string
  /** `open`: payers may start payments. `used-up`: it has all the payments that it may have. `ended`: `endsAt` has passed. `closed`: somebody has closed it. */
  state: 'open' | 'used-up' | 'ended' | 'closed'
  /** What is paid for, as the payer reads it. */
  title: string
  /** More about it, shown below the title. */
  description?: string
  currency: Currency
  /** How to pay. Without it the payer chooses among the methods that the merchant accepts. */
  method?: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
  /** The amount to pay. Without it the payer enters one. */
  amount?: number
  /** The least that a payer may enter. */
  minAmount?: number
  /** The most that a payer may enter. */
  maxAmount?: number
  /** `once`: one payment may be paid. `many`: any number, or up to `maxUses`. */
  uses: 'once' | 'many'
  /** How many payments may be paid; only with `many`. */
  maxUses?: number
  /** How many payments it has, up to 10,000 of each; `GET /payments` with `linkId` lists them. */
  payments: {
    /** `paid` or `disput-paid`. */
    paid: number
    /** `new`, `processing` or `disput`. */
    underWay: number
  }
  /** When the link stops working. Default: never. */
  endsAt?: Time
  /** Where the payer's page sends the payer back to; on a registered host. */
  returnUrl?: string
  /** Copied to each payment of the link. */
  metadata?: Record<string, string>
  /** `token`, `operator`, or the member of the merchant who created it. */
  createdBy: string
  createdAt: Time
  closedAt?: Time
}

export type PaymentPaidNotification = {
  type: 'payment.paid'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'paid'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentProcessingNotification = {
  type: 'payment.processing'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'processing'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
  }
}

export type PaymentReversedNotification = {
  type: 'payment.reversed'
  timestamp: Time
  data: {
    id: Id
    orderId: OrderId
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'paid' | 'disput-paid'
    /** Why it has this status. */
    statusReason: string
    /** Exact amount in `currency`. */
    amount: number
    /** Present with `disput-paid`. */
    finalAmount?: number
    currency: string
    /** Metadata that the merchant sent with the payment. */
    metadata?: Record<string, string>
    /** The payment link from which its payer started it. */
    linkId?: Id
    /** What was taken back, in `currency`. */
    reversedAmount: number
    balanceChange: {
      currency: string
      /** At most 0. */
      amount: number
    }
  }
}

export type PaymentState = {
  id: Id
  orderId: string
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
}

/** Status of the payment. */
export type PaymentStatus = 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'

export type PaymentTimeline = {
  id: Id
  orderId: string
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
  statusReason: string
  type: 'direct' | 'staged'
  method: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
  currency: string
  amount: number
  receivedAmount: number
  finalAmount?: number
  userId: string
  /** Metadata that the merchant sent with the payment. */
  metadata?: Record<string, string>
  /** The payment link from which its payer started it. */
  linkId?: Id
  sourcePan: string
  createdAt: Time
  expiredAt: Time
  changedAt: Time
  acknowledgedAt?: Time
  /** The rate locked at creation. */
  rate: {
    price: number
    createdAt: Time
    /** The worse price of what exceeds the amount or came late. */
    laterPrice?: number
  }
  /** Before the fee. */
  total: {
    currency: string
    amount: number
  }
  /** The payer's page. */
  redirectUrl: string
  /** When the payer said "I have paid". */
  claimedAt?: Time
  /** When the payer claimed to have paid a closed payment. */
  claimReceivedAt?: Time
  events: Array<{
    sequence: number
    /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
    status: PaymentStatus
    statusReason: string
    by: string
    at: Time
  }>
  /** Newest first. */
  disputes: Array<{
    id: Id
    state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
    reason: string
    amount: number
    openedAt: Time
  }>
  /** The newest 50 deliveries about it, newest first. */
  deliveries: Array<{
    endpointId: Id
    /** The `webhook-id`. */
    eventId: Id
    type: string
    paymentId?: Id
    /** The payment's orderId. */
    orderId?: string
    status: 'pending' | 'delivered' | 'failed'
    attempts: number
    nextAttemptAt?: Time
    queuedAt: Time
    finishedAt?: Time
  }>
}

export type Refund = {
  id: Id
  paymentId: Id
  orderId: string
  /** The merchant's own reference. */
  reference: string
  status: RefundStatus
  currency: string
  /** What the payer gets, in the currency of the payment. */
  amount: number
  balanceChange: {
    currency: string
    /** What it takes of the merchant's balance: at most 0. */
    amount: number
    /** What the fee pays of it (term `refundFee`). */
    feeReturned: number
  }
  /** Why the merchant asked for it. */
  reason?: string
  /** Where the merchant asks to send it. Masked. */
  payTo?: string
  /** Why it was refused or failed. */
  failure?: string
  createdAt: Time
  changedAt: Time
}

export type RefundApprovedNotification = {
  type: 'refund.approved'
  timestamp: Time
  data: {
    id: Id
    paymentId: Id
    orderId: OrderId
    /** The merchant's own reference. */
    reference: string
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'approved'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    balanceChange: {
      currency: string
      /** What the refund takes of your balance: at most 0. */
      amount: number
    }
    /** Why it was refused or failed. */
    failure?: string
  }
}

export type RefundCanceledNotification = {
  type: 'refund.canceled'
  timestamp: Time
  data: {
    id: Id
    paymentId: Id
    orderId: OrderId
    /** The merchant's own reference. */
    reference: string
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'canceled'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    balanceChange: {
      currency: string
      /** What the refund takes of your balance: at most 0. */
      amount: number
    }
    /** Why it was refused or failed. */
    failure?: string
  }
}

export type RefundDoneNotification = {
  type: 'refund.done'
  timestamp: Time
  data: {
    id: Id
    paymentId: Id
    orderId: OrderId
    /** The merchant's own reference. */
    reference: string
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'done'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    balanceChange: {
      currency: string
      /** What the refund takes of your balance: at most 0. */
      amount: number
    }
    /** Why it was refused or failed. */
    failure?: string
  }
}

export type RefundFailedNotification = {
  type: 'refund.failed'
  timestamp: Time
  data: {
    id: Id
    paymentId: Id
    orderId: OrderId
    /** The merchant's own reference. */
    reference: string
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'failed'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    balanceChange: {
      currency: string
      /** What the refund takes of your balance: at most 0. */
      amount: number
    }
    /** Why it was refused or failed. */
    failure?: string
  }
}

export type RefundRefusedNotification = {
  type: 'refund.refused'
  timestamp: Time
  data: {
    id: Id
    paymentId: Id
    orderId: OrderId
    /** The merchant's own reference. */
    reference: string
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'refused'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    balanceChange: {
      currency: string
      /** What the refund takes of your balance: at most 0. */
      amount: number
    }
    /** Why it was refused or failed. */
    failure?: string
  }
}

export type RefundSentNotification = {
  type: 'refund.sent'
  timestamp: Time
  data: {
    id: Id
    paymentId: Id
    orderId: OrderId
    /** The merchant's own reference. */
    reference: string
    /** Rises with every change of the status: ignore a notification with a lower number than you have seen. */
    sequence: number
    status: 'sent'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    balanceChange: {
      currency: string
      /** What the refund takes of your balance: at most 0. */
      amount: number
    }
    /** Why it was refused or failed. */
    failure?: string
  }
}

/** `requested`: waits for the operator; `approved`: is sent next; `sent`: the operator has sent it; `done`: the bank has reported it. `refused`, `canceled` and `failed` give the balance back. */
export type RefundStatus = 'requested' | 'approved' | 'sent' | 'done' | 'refused' | 'canceled' | 'failed'

export type RefundWithEvents = {
  id: Id
  paymentId: Id
  orderId: string
  /** The merchant's own reference. */
  reference: string
  status: RefundStatus
  currency: string
  /** What the payer gets, in the currency of the payment. */
  amount: number
  balanceChange: {
    currency: string
    /** What it takes of the merchant's balance: at most 0. */
    amount: number
    /** What the fee pays of it (term `refundFee`). */
    feeReturned: number
  }
  /** Why the merchant asked for it. */
  reason?: string
  /** Where the merchant asks to send it. Masked. */
  payTo?: string
  /** Why it was refused or failed. */
  failure?: string
  createdAt: Time
  changedAt: Time
  events: Array<{
    sequence: number
    status: RefundStatus
    actor: string
    at: Time
  }>
}

export type Settlement = {
  id: Id
  /** The reference of who drafted it, or asked for it. */
  reference: string
  status: SettlementStatus
  /** Who of the merchant asked for it, or its schedule. */
  requestedBy?: string
  currency: string
  amount: number
  /** Where the money is sent: label, address and kind. */
  destination: string
  destinationId?: Id
  /** What identifies the payout. Present once it is paid. */
  externalReference?: string
  /** Why it failed. Its amount is available again. */
  failure?: string
  createdAt: Time
  changedAt: Time
}

export type SettlementApprovedNotification = {
  type: 'settlement.approved'
  timestamp: Time
  data: {
    id: Id
    /** The reference of who drafted it, or asked for it. */
    reference: string
    /** Number of the latest change. */
    sequence: number
    status: 'approved'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Where the money is sent: label, address and kind. */
    destination: string
  }
}

export type SettlementCanceledNotification = {
  type: 'settlement.canceled'
  timestamp: Time
  data: {
    id: Id
    /** The reference of who drafted it, or asked for it. */
    reference: string
    /** Number of the latest change. */
    sequence: number
    status: 'canceled'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Where the money is sent: label, address and kind. */
    destination: string
  }
}

export type SettlementFailedNotification = {
  type: 'settlement.failed'
  timestamp: Time
  data: {
    id: Id
    /** The reference of who drafted it, or asked for it. */
    reference: string
    /** Number of the latest change. */
    sequence: number
    status: 'failed'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Where the money is sent: label, address and kind. */
    destination: string
    /** Why it failed. Its amount is available again. */
    failure?: string
  }
}

export type SettlementPaidNotification = {
  type: 'settlement.paid'
  timestamp: Time
  data: {
    id: Id
    /** The reference of who drafted it, or asked for it. */
    reference: string
    /** Number of the latest change. */
    sequence: number
    status: 'paid'
    /** Exact amount in `currency`. */
    amount: number
    currency: string
    /** Where the money is sent: label, address and kind. */
    destination: string
    /** What identifies the payout. */
    externalReference: string
  }
}

/** `requested`: the merchant asks for it; `draft`: an operator must still approve it; `approved`: is paid next. `failed` and `canceled` give the balance back. */
export type SettlementStatus = 'requested' | 'draft' | 'approved' | 'paid' | 'failed' | 'canceled'

export type SimulatedEvent = {
  id: Id
  orderId: string
  /** Payment status. Treat a status that you do not know as "not decided yet": keep polling. */
  status: PaymentStatus
  event:
    | 'paid'
    | 'partial'
    | 'underpaid'
    | 'overpaid'
    | 'late'
    | 'expired'
    | 'duplicate'
    | 'reversed'
    | 'dispute-opened'
    | 'dispute-accepted'
    | 'dispute-rejected'
    | 'failed'
    | 'ack-overdue'
    | 'settled'
    | 'refunded'
    | 'refund-failed'
}

export type Simulation = {
  /** What the simulated bank, payer or operator does. */
  event:
    | 'paid'
    | 'partial'
    | 'underpaid'
    | 'overpaid'
    | 'late'
    | 'expired'
    | 'duplicate'
    | 'reversed'
    | 'dispute-opened'
    | 'dispute-accepted'
    | 'dispute-rejected'
    | 'failed'
    | 'ack-overdue'
    | 'settled'
    | 'refunded'
    | 'refund-failed'
  /** Money to send, take back, claim, credit or refund instead of the event's usual amount; at most ten times the amount of the payment. */
  amount?: number
  /** Milliseconds from now. */
  delayMs?: number
  /** Who reports the money: the bank's feed, or its message on a phone (roubles only), immediately; or its statement, so that nobody knows of it until the file is imported. What was not reported by a feed is in the statement, too. Default: `feed`. */
  reportedBy?: 'feed' | 'message' | 'statement'
}

/** A time in UTC. */
export type Time = string

export type TurnedClock = {
  /** Payments whose time to pay or late window was running. */
  payments: number
  /** Undecided disputes. */
  disputes: number
  /** Planned attempts of notifications. */
  deliveries: number
}

/** Each operation: what it takes, and its answer. */
export type Operations = {
  /** Show the merchant that the access token belongs to, and what the token may do. */
  getOwnMerchant: {
    path: undefined
    query: undefined
    body: undefined
    answer: Caller
  }
  /** Read currency limits. */
  listCurrencies: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      currencies: Array<{
        /** Currency code, lowercase. */
        code: string
        /** Smallest permitted payment amount. */
        min: number
        /** Largest permitted payment amount. */
        max: number
      }>
    }
  }
  /** Create a payment. */
  createPayment: {
    path: undefined
    query: undefined
    body: NewPayment
    answer: CreatedPayment
  }
  /** List payments. */
  listPayments: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one of the same `sort` says (`nextCursor`). */
      cursor?: string
      /** Only those created at this time or later. */
      from?: Time
      /** Only those created before this time. */
      to?: Time
      /** Only of this payment method. */
      method?: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
      /** Only in this currency. */
      currency?: Currency
      /** Only this amount or more; needs `currency`. */
      amountFrom?: number
      /** Only this amount or less; needs `currency`. */
      amountTo?: number
      /** Default: `newest` first. `amount` lists the smallest amounts first, `-amount` the largest; both need `currency`. */
      sort?: 'newest' | 'oldest' | 'amount' | '-amount'
      /** Also count the rows of all pages. */
      count?: true
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
      /** Only payments in this status. */
      status?: PaymentStatus
      /** Only paid and disput-paid payments that are, or are not, acknowledged. */
      acknowledged?: boolean
      /** The merchant's own identifier of its user. */
      userId?: string
      /** The last four digits of the payer's number. */
      payerDigits?: string
      /** Only those started from this payment link. */
      linkId?: Id
      /** `amount`: another amount arrived; `late`: the money arrived late; `disputed`: it is or was in dispute. */
      unusual?: 'amount' | 'late' | 'disputed'
    }
    body: undefined
    answer: {
      payments: Array<Payment>
      /** Present when there are more rows. */
      nextCursor?: string
      /** Present when few of many rows match and the page stopped before it was full: it may have fewer rows than `limit`, or none. It covers the rows created (with `sort=due`: due) between its cursor and this time; `nextCursor` continues from there. */
      searchedTo?: Time
      /** The same for a list sorted by amount: the page covers the rows from its cursor to this amount. */
      searchedToAmount?: number
      count?: {
        /** Rows of all pages. */
        matching: number
        /** If false, only 10,000 rows were checked, and more may match. */
        isExact: boolean
      }
    }
  }
  /** Poll the status by order. */
  getPaymentStatus: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: {
      /** Seconds to hold the response until the status changes. With `If-None-Match`: until the status differs from that tag. */
      wait?: number
    }
    body: undefined
    answer: PaymentState
  }
  /** Acknowledge paid or disput-paid. */
  acknowledgePayment: {
    path: undefined
    query: undefined
    body: {
      orderId: OrderId
      /** The status that you know. Refused with `status_changed` if the payment now has another. */
      status?: PaymentStatus
    }
    answer: AcknowledgedPayment
  }
  /** Read payment details. */
  getPayment: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: undefined
    answer: PaymentAmounts
  }
  /** Export payments as CSV. */
  exportOwnPayments: {
    path: undefined
    query: {
      /** Only those created at this time or later. */
      from?: Time
      /** Only those created before this time. */
      to?: Time
      /** Only of this payment method. */
      method?: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
      /** Only in this currency. */
      currency?: Currency
      /** Only this amount or more; needs `currency`. */
      amountFrom?: number
      /** Only this amount or less; needs `currency`. */
      amountTo?: number
      /** Default: `newest` first. `amount` lists the smallest amounts first, `-amount` the largest; both need `currency`. */
      sort?: 'newest' | 'oldest' | 'amount' | '-amount'
      /** Only payments in this status. */
      status?: PaymentStatus
      /** Only paid and disput-paid payments that are, or are not, acknowledged. */
      acknowledged?: boolean
      /** The merchant's own identifier of its user. */
      userId?: string
      /** The last four digits of the payer's number. */
      payerDigits?: string
      /** Only those started from this payment link. */
      linkId?: Id
      /** `amount`: another amount arrived; `late`: the money arrived late; `disputed`: it is or was in dispute. */
      unusual?: 'amount' | 'late' | 'disputed'
    }
    body: undefined
    answer: string
  }
  /** Read a payment with its events, disputes and deliveries. */
  getOwnPaymentTimeline: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: undefined
    answer: PaymentTimeline
  }
  /** Cancel a payment. */
  cancelPayment: {
    path: undefined
    query: undefined
    body: {
      orderId: OrderId
    }
    answer: CanceledPayment
  }
  /** Create a payment link. */
  createLink: {
    path: undefined
    query: undefined
    body: NewPaymentLink
    answer: PaymentLink
  }
  /** List payment links. */
  listLinks: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 500. Default: 50. */
      limit?: number
      /** Only links in this state, among the newest 10,000. */
      state?: 'open' | 'used-up' | 'ended' | 'closed'
    }
    body: undefined
    answer: {
      links: Array<PaymentLink>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Export payment links as CSV. */
  exportOwnLinks: {
    path: undefined
    query: {
      /** Only links in this state, among the newest 10,000. */
      state?: 'open' | 'used-up' | 'ended' | 'closed'
    }
    body: undefined
    answer: string
  }
  /** Read a payment link. */
  getLink: {
    path: {
      /** Identifier of the service (UUID). */
      linkId: Id
    }
    query: undefined
    body: undefined
    answer: PaymentLink
  }
  /** Close a payment link. */
  closeLink: {
    path: {
      /** Identifier of the service (UUID). */
      linkId: Id
    }
    query: undefined
    body: Record<string, unknown>
    answer: PaymentLink
  }
  /** List bank issuers. */
  listBankIssuers: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      bankIssuers: Array<{
        code: string
        /** Name to show to people. */
        name: string
        /** Country code (ISO 3166-1), lowercase. */
        country: string
      }>
    }
  }
  /** Read the event feed. */
  listEvents: {
    path: undefined
    query: {
      /** `cursor` of the last response. Default: the beginning. */
      after?: string
      /** Rows per page, 1 to 500. Default: 50. */
      limit?: number
    }
    body: undefined
    answer: {
      events: Array<Event>
      /** Cursor of the last event in this response. */
      cursor: string
    }
  }
  /** List notification endpoints. */
  listEndpoints: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      endpoints: Array<Endpoint>
    }
  }
  /** Add a notification endpoint. */
  createEndpoint: {
    path: undefined
    query: undefined
    body: NewEndpoint
    answer: EndpointWithSecret
  }
  /** Export notification endpoints as CSV. */
  exportOwnEndpoints: {
    path: undefined
    query: undefined
    body: undefined
    answer: string
  }
  /** Read a notification endpoint. */
  getEndpoint: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: undefined
    answer: Endpoint
  }
  /** Change, enable or disable an endpoint. */
  updateEndpoint: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: EndpointChange
    answer: Endpoint
  }
  /** Remove an endpoint for good. */
  removeEndpoint: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: undefined
    answer: {
      id: Id
    }
  }
  /** Give an endpoint a new secret. */
  rotateEndpointSecret: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: {
      /** How long the old secret also signs; 0 ends it now. Default: 24 hours. */
      overlapMs?: number
    }
    answer: EndpointWithSecret
  }
  /** Send an endpoint a test. */
  testEndpoint: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: Record<string, unknown>
    answer: {
      eventId: Id
    }
  }
  /** List the deliveries of an endpoint. */
  listDeliveries: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: {
      /** Only deliveries with this status. */
      status?: 'pending' | 'delivered' | 'failed'
      /** Only deliveries about this payment. */
      paymentId?: Id
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: string
      /** Rows per page, 1 to 500. Default: 50. */
      limit?: number
    }
    body: undefined
    answer: {
      deliveries: Array<Delivery>
      nextCursor?: string
    }
  }
  /** Export the deliveries of an endpoint as CSV. */
  exportOwnDeliveries: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: {
      /** Only deliveries with this status. */
      status?: 'pending' | 'delivered' | 'failed'
      /** Only deliveries about this payment. */
      paymentId?: Id
    }
    body: undefined
    answer: string
  }
  /** Read a delivery with its body and its attempts. */
  getDelivery: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
      /** Identifier of the service (UUID). */
      eventId: Id
    }
    query: undefined
    body: undefined
    answer: DeliveryLog
  }
  /** Send an event again. */
  redeliver: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
      /** Identifier of the service (UUID). */
      eventId: Id
    }
    query: undefined
    body: Record<string, unknown>
    answer: {
      eventId: Id
    }
  }
  /** Send all failed events since a time again. */
  redeliverSince: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: {
      since: Time
    }
    answer: {
      /** How many will be sent again. */
      events: number
      /** Whether there are more: call again. */
      more: boolean
    }
  }
  /** Add a listener. */
  createListener: {
    path: undefined
    query: undefined
    body: {
      /** What it is. */
      description?: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds?: Array<NotificationKind>
    }
    answer: {
      id: Id
      listeningUntil: Time
    }
  }
  /** Take the due deliveries of a listener. */
  takeDeliveries: {
    path: {
      /** Identifier of the service (UUID). */
      endpointId: Id
    }
    query: undefined
    body: {
      results?: Array<DeliveryResult>
      /** Seconds to wait until a delivery is due. */
      wait?: number
    }
    answer: {
      deliveries: Array<{
        /** The `webhook-id`. */
        eventId: Id
        /** Number of the attempt to make. */
        attempt: number
        /** When it was queued, or queued again. */
        queuedAt: Time
        /** The bytes to send at every attempt. */
        body: string
      }>
      listeningUntil: Time
    }
  }
  /** Claim that a payment was paid. */
  openDispute: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: {
      /** The amount that the payer sent: at most that of the payment, or one that a bank has reported. */
      amount: number
      /** Default: `paid-not-credited`. */
      reason?: 'paid-not-credited' | 'wrong-amount' | 'other'
      /** For the operator. */
      note?: string
    }
    answer: Dispute
  }
  /** Read the last dispute of a payment. */
  getDispute: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: undefined
    answer: Dispute
  }
  /** Withdraw the merchant's own claim. */
  withdrawDispute: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: Record<string, unknown>
    answer: Dispute
  }
  /** Add a file to the open dispute of a payment. */
  addDisputeEvidence: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: Uint8Array | Blob
    answer: Dispute
  }
  /** Refund a payment, or a part of it. */
  requestRefund: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: {
      /** Your own reference. If you send it again, it names the same thing, and nothing happens twice. */
      reference: string
      /** Default: all that can still be refunded. */
      amount?: number
      /** Why. */
      reason?: string
      /** Where to send it, for the operator: a card, phone or account, and a name. Only if no bank has named the account that paid, to which it goes otherwise. */
      payTo?: string
    }
    answer: Refund
  }
  /** List refunds. */
  listRefunds: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
      /** Only refunds of the payment of this order. */
      orderId?: OrderId
      /** Only refunds with this status. */
      status?: RefundStatus
    }
    body: undefined
    answer: {
      refunds: Array<Refund>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Export refunds as CSV. */
  exportOwnRefunds: {
    path: undefined
    query: {
      /** Only refunds of the payment of this order. */
      orderId?: OrderId
      /** Only refunds with this status. */
      status?: RefundStatus
    }
    body: undefined
    answer: string
  }
  /** Read a refund. */
  getRefund: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: undefined
    answer: RefundWithEvents
  }
  /** Cancel a refund. */
  cancelRefund: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: Record<string, unknown>
    answer: Refund
  }
  /** Read the balance. */
  getBalance: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      currency: string
      /** Below zero when banks took back money that was already settled. */
      available: number
      /** Credits that settlements do not take yet: a dispute about their payment is open; or, by your terms, a bank has only sent a message about their money, and its statement is still to come. Absent if there are none. */
      waiting?: number
      /** Reserved by settlements in progress. */
      held: number
      /** Paid out by settlements so far. */
      paidOut: number
      /** What you are owed in other currencies, in which you were credited before. Absent if there is none. */
      others?: Array<{
        currency: string
        /** Below zero when banks took back money that was already settled. */
        available: number
        /** Credits that settlements do not take yet: a dispute about their payment is open; or, by your terms, a bank has only sent a message about their money, and its statement is still to come. Absent if there are none. */
        waiting?: number
        /** Reserved by settlements in progress. */
        held: number
        /** Paid out by settlements so far. */
        paidOut: number
      }>
    }
  }
  /** List movements of the available balance. */
  listEntries: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
    }
    body: undefined
    answer: {
      entries: Array<BalanceEntry>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Export movements of the available balance as CSV. */
  exportOwnEntries: {
    path: undefined
    query: undefined
    body: undefined
    answer: string
  }
  /** Export the account statement. */
  getAccountStatement: {
    path: undefined
    query: {
      /** Start of the statement, inclusive. */
      from: Time
      /** End of the statement, exclusive; at most 366 days after `from`. The statement never covers the last two minutes, in which entries may still be posted; the header `payin-until` and the closing balance say where it ends. */
      to: Time
      /** Default: `csv`. */
      format?: 'csv' | 'camt.053'
      /** Code to write for USDT in camt.053, which allows only three letters. Default: `USD`. */
      currency?: string
      /** Currency of the balance. Default: the quote currency of the merchant. */
      balance?: string
    }
    body: undefined
    answer: string
  }
  /** Report a day or a month. */
  getReport: {
    path: undefined
    query: {
      /** A day or a month in UTC. One that has not ended is reported up to two minutes ago (`payin-until`). */
      period: string
      /** Default: `html`, a page to read, print or keep. */
      format?: 'html' | 'csv'
      /** Of the page. Default: `en`. */
      language?: 'en' | 'ru'
      /** Currency of the balance. Default: the quote currency of the merchant. */
      balance?: string
    }
    body: undefined
    answer: string
  }
  /** List settlements. */
  listSettlements: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
      /** Only settlements with this status. */
      status?: SettlementStatus
    }
    body: undefined
    answer: {
      settlements: Array<Settlement>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Ask for a settlement. */
  requestSettlement: {
    path: undefined
    query: undefined
    body: {
      /** Your own reference. If you send it again, it names the same thing, and nothing happens twice. */
      reference: string
      /** Default: all that is available and need not wait. */
      amount?: number
      /** Currency of the balance. Default: your quote currency. */
      currency?: string
      /** Where the money goes: one of your destinations that is `ready`. */
      destinationId: Id
    }
    answer: Settlement
  }
  /** Export settlements as CSV. */
  exportOwnSettlements: {
    path: undefined
    query: {
      /** Only settlements with this status. */
      status?: SettlementStatus
    }
    body: undefined
    answer: string
  }
  /** Read a settlement. */
  readSettlement: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: undefined
    answer: Settlement
  }
  /** List what a settlement pays out. */
  listEntriesOfSettlement: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
    }
    body: undefined
    answer: {
      entries: Array<BalanceEntry>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Export what a settlement pays out as CSV. */
  exportOwnEntriesOfSettlement: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: undefined
    answer: string
  }
  /** Cancel a settlement that you asked for. */
  cancelSettlement: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: Record<string, unknown>
    answer: Settlement
  }
  /** List where settlements may be sent. */
  listDestinations: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
    }
    body: undefined
    answer: {
      destinations: Array<Destination>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Ask for a destination of settlements. */
  requestDestination: {
    path: undefined
    query: undefined
    body: {
      kind: DestinationKind
      /** With its checksum or check digits. `tron`: `TJRabPrwbZy45sbavfcjinPJC18kjpRTv8`; `ethereum`: `0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed`; `iban`: `DE89370400440532013000`; `ru-account`: `40702810200000000001/044525225`. */
      address: string
      /** Your name for it. */
      label: string
    }
    answer: Destination
  }
  /** Export where settlements may be sent as CSV. */
  exportOwnDestinations: {
    path: undefined
    query: undefined
    body: undefined
    answer: string
  }
  /** Retire a destination of settlements. */
  retireOwnDestination: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: Record<string, unknown>
    answer: Destination
  }
  /** List your latest requests and their outcomes. */
  listRequests: {
    path: undefined
    query: {
      /** Where the page starts, as the previous one says (`nextCursor`). */
      cursor?: Id
      /** Rows per page, 1 to 100. Default: 50. */
      limit?: number
      /** Only those that were refused or failed. */
      outcome?: 'failed'
    }
    body: undefined
    answer: {
      requests: Array<LoggedRequest>
      /** Present when there are more rows. */
      nextCursor?: Id
    }
  }
  /** Export your latest requests and their outcomes as CSV. */
  exportOwnRequests: {
    path: undefined
    query: {
      /** Only those that were refused or failed. */
      outcome?: 'failed'
    }
    body: undefined
    answer: string
  }
  /** Read one of your requests with its request and response bodies. */
  getRequest: {
    path: {
      /** Identifier of the service (UUID). */
      id: Id
    }
    query: undefined
    body: undefined
    answer: LoggedRequestWithBodies
  }
  /** Simulate money or time for a sandbox payment. */
  simulatePayment: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: OrderId
    }
    query: undefined
    body: Simulation
    answer: SimulatedEvent
  }
  /** Download a statement of the sandbox merchant's simulated bank. */
  getSandboxStatement: {
    path: undefined
    query: {
      /** Day of the bookings in the zone of each account. Default: today. */
      day?: string
      /** `card.id` of a payment: only the statement of that account. */
      cardId?: Id
    }
    body: undefined
    answer: string
  }
  /** Turn the sandbox merchant's clock forward. */
  turnSandboxClock: {
    path: undefined
    query: undefined
    body: ClockTurn
    answer: TurnedClock
  }
}

/** Each kind of notification, with its body. */
export type Events = {
  /** Part of the money has arrived, or the payer claims to have paid. */
  'payment.processing': PaymentProcessingNotification
  /** A payment is paid. */
  'payment.paid': PaymentPaidNotification
  /** A payment is under review. */
  'payment.disput': PaymentDisputNotification
  /** A payment is credited with another amount, or after a dispute. */
  'payment.disput-paid': PaymentDisputPaidNotification
  /** A payment has expired. */
  'payment.expired': PaymentExpiredNotification
  /** A payment is canceled. */
  'payment.canceled': PaymentCanceledNotification
  /** A payment has failed. */
  'payment.failed': PaymentFailedNotification
  /** A credited payment has not been acknowledged. */
  'payment.ack-overdue': PaymentAckOverdueNotification
  /** A bank took credited money back. */
  'payment.reversed': PaymentReversedNotification
  /** A settlement is approved, and is paid next. */
  'settlement.approved': SettlementApprovedNotification
  /** Money was paid out to the merchant. */
  'settlement.paid': SettlementPaidNotification
  /** A settlement has failed; the balance has its money again. */
  'settlement.failed': SettlementFailedNotification
  /** The merchant canceled a settlement that it asked for. */
  'settlement.canceled': SettlementCanceledNotification
  /** A refund is approved, and is sent next. */
  'refund.approved': RefundApprovedNotification
  /** A refund was sent, or its bank report was taken back. */
  'refund.sent': RefundSentNotification
  /** The bank has reported that a refund was sent. */
  'refund.done': RefundDoneNotification
  /** A refund is refused; the balance has its money again. */
  'refund.refused': RefundRefusedNotification
  /** A refund is canceled; the balance has its money again. */
  'refund.canceled': RefundCanceledNotification
  /** A refund did not reach the payer; the balance has its money again. */
  'refund.failed': RefundFailedNotification
  /** A test of the endpoint. */
  'endpoint.test': EndpointTestNotification
}

/** The codes of refusals; a newer service may have more. */
export type ErrorCode =
  | 'malformed_json'
  | 'validation_failed'
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'token_revoked'
  | 'signature_invalid'
  | 'scope_missing'
  | 'sandbox_only'
  | 'role_missing'
  | 'session_missing'
  | 'second_factor_missing'
  | 'verification_required'
  | 'address_not_allowed'
  | 'merchant_suspended'
  | 'browser_not_allowed'
  | 'debt_too_large'
  | 'second_person_required'
  | 'payment_not_found'
  | 'resource_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'order_conflict'
  | 'payment_not_paid'
  | 'status_changed'
  | 'invalid_state'
  | 'dispute_exists'
  | 'already_exists'
  | 'ambiguous'
  | 'balance_insufficient'
  | 'rate_outside_band'
  | 'requisites_unavailable'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'amount_below_min'
  | 'amount_above_max'
  | 'amount_precision'
  | 'currency_not_supported'
  | 'statement_refused'
  | 'bank_issuer_unknown'
  | 'transfer_scope_required'
  | 'transfer_scope_not_allowed'
  | 'rate_limited'
  | 'too_many_open_payments'
  | 'headers_too_large'
  | 'internal_error'
  | 'rate_unavailable'
  | 'overloaded'
  | 'database_unavailable'
  | (string & {})

/** The method and the address of each operation. */
export const operations = {
  getOwnMerchant: ['GET', '/api/v1/merchant/me'],
  listCurrencies: ['GET', '/api/v1/merchant/payments/currencies'],
  createPayment: ['POST', '/api/v1/merchant/payments'],
  listPayments: ['GET', '/api/v1/merchant/payments'],
  getPaymentStatus: ['GET', '/api/v1/merchant/payments/byOrderId/{orderId}/status'],
  acknowledgePayment: ['POST', '/api/v1/merchant/payments/byOrderId/ack'],
  getPayment: ['GET', '/api/v1/merchant/payments/byOrderId/{orderId}'],
  exportOwnPayments: ['GET', '/api/v1/merchant/payments.csv'],
  getOwnPaymentTimeline: ['GET', '/api/v1/merchant/payments/byOrderId/{orderId}/timeline'],
  cancelPayment: ['POST', '/api/v1/merchant/payments/byOrderId/cancel'],
  createLink: ['POST', '/api/v1/merchant/links'],
  listLinks: ['GET', '/api/v1/merchant/links'],
  exportOwnLinks: ['GET', '/api/v1/merchant/links.csv'],
  getLink: ['GET', '/api/v1/merchant/links/{linkId}'],
  closeLink: ['POST', '/api/v1/merchant/links/{linkId}/close'],
  listBankIssuers: ['GET', '/api/v1/merchant/payments/bankIssuers'],
  listEvents: ['GET', '/api/v1/merchant/events'],
  listEndpoints: ['GET', '/api/v1/merchant/endpoints'],
  createEndpoint: ['POST', '/api/v1/merchant/endpoints'],
  exportOwnEndpoints: ['GET', '/api/v1/merchant/endpoints.csv'],
  getEndpoint: ['GET', '/api/v1/merchant/endpoints/{endpointId}'],
  updateEndpoint: ['PATCH', '/api/v1/merchant/endpoints/{endpointId}'],
  removeEndpoint: ['DELETE', '/api/v1/merchant/endpoints/{endpointId}'],
  rotateEndpointSecret: ['POST', '/api/v1/merchant/endpoints/{endpointId}/rotate'],
  testEndpoint: ['POST', '/api/v1/merchant/endpoints/{endpointId}/test'],
  listDeliveries: ['GET', '/api/v1/merchant/endpoints/{endpointId}/deliveries'],
  exportOwnDeliveries: ['GET', '/api/v1/merchant/endpoints/{endpointId}/deliveries.csv'],
  getDelivery: ['GET', '/api/v1/merchant/endpoints/{endpointId}/deliveries/{eventId}'],
  redeliver: ['POST', '/api/v1/merchant/endpoints/{endpointId}/deliveries/{eventId}/redeliver'],
  redeliverSince: ['POST', '/api/v1/merchant/endpoints/{endpointId}/redeliver'],
  createListener: ['POST', '/api/v1/merchant/listeners'],
  takeDeliveries: ['POST', '/api/v1/merchant/listeners/{endpointId}/deliveries'],
  openDispute: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute'],
  getDispute: ['GET', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute'],
  withdrawDispute: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute/withdraw'],
  addDisputeEvidence: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute/evidence'],
  requestRefund: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/refunds'],
  listRefunds: ['GET', '/api/v1/merchant/refunds'],
  exportOwnRefunds: ['GET', '/api/v1/merchant/refunds.csv'],
  getRefund: ['GET', '/api/v1/merchant/refunds/{id}'],
  cancelRefund: ['POST', '/api/v1/merchant/refunds/{id}/cancel'],
  getBalance: ['GET', '/api/v1/merchant/balance'],
  listEntries: ['GET', '/api/v1/merchant/entries'],
  exportOwnEntries: ['GET', '/api/v1/merchant/entries.csv'],
  getAccountStatement: ['GET', '/api/v1/merchant/statement'],
  getReport: ['GET', '/api/v1/merchant/report'],
  listSettlements: ['GET', '/api/v1/merchant/settlements'],
  requestSettlement: ['POST', '/api/v1/merchant/settlements'],
  exportOwnSettlements: ['GET', '/api/v1/merchant/settlements.csv'],
  readSettlement: ['GET', '/api/v1/merchant/settlements/{id}'],
  listEntriesOfSettlement: ['GET', '/api/v1/merchant/settlements/{id}/entries'],
  exportOwnEntriesOfSettlement: ['GET', '/api/v1/merchant/settlements/{id}/entries.csv'],
  cancelSettlement: ['POST', '/api/v1/merchant/settlements/{id}/cancel'],
  listDestinations: ['GET', '/api/v1/merchant/destinations'],
  requestDestination: ['POST', '/api/v1/merchant/destinations'],
  exportOwnDestinations: ['GET', '/api/v1/merchant/destinations.csv'],
  retireOwnDestination: ['POST', '/api/v1/merchant/destinations/{id}/retire'],
  listRequests: ['GET', '/api/v1/merchant/requests'],
  exportOwnRequests: ['GET', '/api/v1/merchant/requests.csv'],
  getRequest: ['GET', '/api/v1/merchant/requests/{id}'],
  simulatePayment: ['POST', '/api/v1/sandbox/payments/byOrderId/{orderId}/simulate'],
  getSandboxStatement: ['GET', '/api/v1/sandbox/statement'],
  turnSandboxClock: ['POST', '/api/v1/sandbox/clock'],
} as const satisfies Record<keyof Operations, readonly [string, string]>
