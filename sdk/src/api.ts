// Generated from the OpenAPI document by `npm run generate`.

/** Each operation: what it takes, and its answer. */
export type Operations = {
  /** Show the merchant that the access token belongs to, and what the token may do. */
  getOwnMerchant: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      merchantId: string
      /** Name of the merchant. */
      name: string
      mode: 'live' | 'sandbox'
      /** What the caller may do: `x-scope` of each operation. */
      scopes: Array<
        | 'payments:read'
        | 'payments:write'
        | 'notifications:read'
        | 'notifications:write'
        | 'balance:read'
        | 'sandbox:simulate'
      >
      /** The merchant's member of the console, where no token is used. */
      member?: string
    }
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
    body: {
      /** `direct` shows the requisite at once; `staged` collects the payer's phone on the hosted page. */
      type: 'direct' | 'staged'
      /** Exact amount in the currency, within its min..max. */
      amount: number
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Currency code, lowercase. */
      currency: string
      /** Required unless `sbpEnabled` is true. */
      method?: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
      /** Whether the fast phone-number method is offered. */
      sbpEnabled?: boolean
      /** Required with, and only with, `by-phone`. */
      transferScope?: 'international'
      /** Code of the issuing bank. */
      bankIssuer?: string
      /** The merchant's identifier of its user. */
      userId?: string
      /** Where the page leads back to; on a registered host. */
      returnUrl?: string
      /** Language of the hosted page. */
      locale?: 'ru' | 'en' | 'uz' | 'kk' | 'tg'
      /** Up to 20 texts of your own by name, kept with the payment: in lists, the timeline and notifications. Sent again with the same `orderId`, they change nothing. */
      metadata?: Record<string, string>
    }
    answer: {
      payment: {
        id: string
        rate: {
          USDT: {
            price: number
            createdAt: string
          }
        }
        orderId: string
        userId: string
        /** Payment status. An unknown status means "not decided yet": go on polling. */
        status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
        amount: number
        sourcePan: string
        currency: string
        total: {
          currency: string
          amount: number
        }
        expiredAt: string
      }
      card: {
        id: string
        /** Card or account number (`card-to-card`, `account-to-account`), `direct` only. */
        pan?: string
        /** Phone number (`sbp`, `by-phone`), digits only, `direct` only. */
        phone?: string
        bankIssuer: string
      }
      redirectUrl: string
    }
  }
  /** List payments. */
  listPayments: {
    path: undefined
    query: {
      /** `nextCursor` of the previous page, of the same `sort`. */
      cursor?: string | number | boolean
      /** Made at this time or later. */
      from?: string | number | boolean
      /** Made before this time. */
      to?: string | number | boolean
      method?: string | number | boolean
      /** Currency code, lowercase. */
      currency?: string | number | boolean
      /** This amount or more; needs `currency`. */
      amountFrom?: string | number | boolean
      /** This amount or less; needs `currency`. */
      amountTo?: string | number | boolean
      /** Default: `newest` first. `amount` has the smallest amounts first, `-amount` the largest; both need `currency`. */
      sort?: string | number | boolean
      /** Also count the rows of all pages. */
      count?: string | number | boolean
      /** Rows per page. Default: 50. */
      limit?: string | number | boolean
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status?: string | number | boolean
      /** Only paid and disput-paid payments that are, or are not, acknowledged. */
      acknowledged?: string | number | boolean
      /** The merchant's identifier of the payer. */
      userId?: string | number | boolean
      /** The last four digits of the payer's number. */
      payerDigits?: string | number | boolean
      /** `amount`: another amount came; `late`: it came late; `disputed`: is or was in dispute. */
      unusual?: string | number | boolean
    }
    body: undefined
    answer: {
      payments: Array<{
        id: string
        orderId: string
        /** Payment status. An unknown status means "not decided yet": go on polling. */
        status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
        statusReason: string
        type: 'direct' | 'staged'
        method: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
        currency: string
        amount: number
        receivedAmount: number
        finalAmount?: number
        userId: string
        /** What the merchant noted with the payment. */
        metadata?: Record<string, string>
        sourcePan: string
        createdAt: string
        expiredAt: string
        changedAt: string
        acknowledgedAt?: string
      }>
      /** Present when there are more rows. */
      nextCursor?: string
      /** Present when the page stops before it is full, because few of many rows match: it may have fewer rows than `limit`, or none. It has those made between its cursor and this time (of a sort by `due`: due), and `nextCursor` goes on. */
      searchedTo?: string
      /** The same of a list by amounts: it has those from its cursor to this amount. */
      searchedToAmount?: number
      count?: {
        /** Rows of all pages. */
        matching: number
        /** Where false, only 10,000 rows were looked at, and more may match. */
        isExact: boolean
      }
    }
  }
  /** Poll the status by order. */
  getPaymentStatus: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: {
      /** Seconds to hold the answer until the status changes. With `If-None-Match`: until the status differs from that tag. */
      wait?: string | number | boolean
    }
    body: undefined
    answer: {
      id: string
      orderId: string
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
    }
  }
  /** Acknowledge paid or disput-paid. */
  acknowledgePayment: {
    path: undefined
    query: undefined
    body: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** The status that you know. Another one is refused with `status_changed`. */
      status?: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
    }
    answer: {
      id: string
      orderId: string
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      acknowledgedAt: string
    }
  }
  /** Read payment details. */
  getPayment: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: undefined
    answer: {
      id: string
      orderId: string
      /** Original amount. */
      amount: number
      /** The credited amount; only with status `disput-paid`. */
      finalAmount?: number
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      currency: string
    }
  }
  /** Export payments as CSV. */
  exportOwnPayments: {
    path: undefined
    query: {
      /** Made at this time or later. */
      from?: string | number | boolean
      /** Made before this time. */
      to?: string | number | boolean
      method?: string | number | boolean
      /** Currency code, lowercase. */
      currency?: string | number | boolean
      /** This amount or more; needs `currency`. */
      amountFrom?: string | number | boolean
      /** This amount or less; needs `currency`. */
      amountTo?: string | number | boolean
      /** Default: `newest` first. `amount` has the smallest amounts first, `-amount` the largest; both need `currency`. */
      sort?: string | number | boolean
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status?: string | number | boolean
      /** Only paid and disput-paid payments that are, or are not, acknowledged. */
      acknowledged?: string | number | boolean
      /** The merchant's identifier of the payer. */
      userId?: string | number | boolean
      /** The last four digits of the payer's number. */
      payerDigits?: string | number | boolean
      /** `amount`: another amount came; `late`: it came late; `disputed`: is or was in dispute. */
      unusual?: string | number | boolean
    }
    body: undefined
    answer: string
  }
  /** Read a payment with its events, disputes and deliveries. */
  getOwnPaymentTimeline: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: undefined
    answer: {
      id: string
      orderId: string
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      statusReason: string
      type: 'direct' | 'staged'
      method: 'card-to-card' | 'sbp' | 'account-to-account' | 'by-phone'
      currency: string
      amount: number
      receivedAmount: number
      finalAmount?: number
      userId: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
      sourcePan: string
      createdAt: string
      expiredAt: string
      changedAt: string
      acknowledgedAt?: string
      /** The rate locked at creation. */
      rate: {
        price: number
        createdAt: string
      }
      /** Before the fee. */
      total: {
        currency: string
        amount: number
      }
      /** The payer's page. */
      redirectUrl: string
      /** When the payer said "I have paid". */
      claimedAt?: string
      /** When the payer claimed to have paid a closed payment. */
      claimReceivedAt?: string
      events: Array<{
        sequence: number
        /** Payment status. An unknown status means "not decided yet": go on polling. */
        status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
        statusReason: string
        by: string
        at: string
      }>
      /** Newest first. */
      disputes: Array<{
        id: string
        state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
        reason: string
        amount: number
        openedAt: string
      }>
      /** What the endpoints were sent about it, the newest 50 first. */
      deliveries: Array<{
        endpointId: string
        /** The `webhook-id`. */
        eventId: string
        type: string
        paymentId?: string
        /** The payment's orderId. */
        orderId?: string
        status: 'pending' | 'delivered' | 'failed'
        attempts: number
        nextAttemptAt?: string
        queuedAt: string
        finishedAt?: string
      }>
    }
  }
  /** Cancel a payment. */
  cancelPayment: {
    path: undefined
    query: undefined
    body: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    answer: {
      id: string
      orderId: string
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
    }
  }
  /** List bank issuers. */
  listBankIssuers: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      bankIssuers: Array<{
        code: string
        name: string
        country: string
      }>
    }
  }
  /** Read the event feed. */
  listEvents: {
    path: undefined
    query: {
      /** `cursor` of the last answer. Default: the beginning. */
      after?: string | number | boolean
      /** Rows per page. Default: 50. */
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      events: Array<{
        /** The same as the `webhook-id` of a notification. */
        id: string
        type: string
        timestamp: string
        data: Record<string, unknown>
      }>
      /** Cursor of the last event in this answer. */
      cursor: string
    }
  }
  /** List notification endpoints. */
  listEndpoints: {
    path: undefined
    query: undefined
    body: undefined
    answer: {
      endpoints: Array<{
        id: string
        merchantId: string
        /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
        url: string
        description: string
        /** Kinds of events that the endpoint receives; empty for all. */
        kinds: Array<
          | 'payment.processing'
          | 'payment.paid'
          | 'payment.disput'
          | 'payment.disput-paid'
          | 'payment.expired'
          | 'payment.canceled'
          | 'payment.failed'
          | 'payment.ack-overdue'
          | 'payment.reversed'
          | 'settlement.paid'
          | 'endpoint.test'
        >
        enabled: boolean
        /** `gone`: it answered 410. `failing`: every attempt of five days has failed. */
        disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
        disabledAt?: string
        /** Since when every attempt has failed. */
        failingSince?: string
        /** Until when notifications are also signed with the previous secret. */
        previousSecretUntil?: string
        /** Of a listener, which has no address: until when it is kept unless it takes deliveries. */
        listeningUntil?: string
        createdAt: string
      }>
    }
  }
  /** Add a notification endpoint. */
  createEndpoint: {
    path: undefined
    query: undefined
    body: {
      /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
      url: string
      description?: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds?: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
    }
    answer: {
      id: string
      merchantId: string
      /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
      url: string
      description: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
      enabled: boolean
      /** `gone`: it answered 410. `failing`: every attempt of five days has failed. */
      disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
      disabledAt?: string
      /** Since when every attempt has failed. */
      failingSince?: string
      /** Until when notifications are also signed with the previous secret. */
      previousSecretUntil?: string
      /** Of a listener, which has no address: until when it is kept unless it takes deliveries. */
      listeningUntil?: string
      createdAt: string
      /** Signs notifications. Shown only here. */
      secret: string
    }
  }
  /** Read a notification endpoint. */
  getEndpoint: {
    path: {
      endpointId: string
    }
    query: undefined
    body: undefined
    answer: {
      id: string
      merchantId: string
      /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
      url: string
      description: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
      enabled: boolean
      /** `gone`: it answered 410. `failing`: every attempt of five days has failed. */
      disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
      disabledAt?: string
      /** Since when every attempt has failed. */
      failingSince?: string
      /** Until when notifications are also signed with the previous secret. */
      previousSecretUntil?: string
      /** Of a listener, which has no address: until when it is kept unless it takes deliveries. */
      listeningUntil?: string
      createdAt: string
    }
  }
  /** Change, enable or disable an endpoint. */
  updateEndpoint: {
    path: {
      endpointId: string
    }
    query: undefined
    body: {
      /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
      url?: string
      description?: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds?: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
      enabled?: boolean
    }
    answer: {
      id: string
      merchantId: string
      /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
      url: string
      description: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
      enabled: boolean
      /** `gone`: it answered 410. `failing`: every attempt of five days has failed. */
      disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
      disabledAt?: string
      /** Since when every attempt has failed. */
      failingSince?: string
      /** Until when notifications are also signed with the previous secret. */
      previousSecretUntil?: string
      /** Of a listener, which has no address: until when it is kept unless it takes deliveries. */
      listeningUntil?: string
      createdAt: string
    }
  }
  /** Remove an endpoint for good. */
  removeEndpoint: {
    path: {
      endpointId: string
    }
    query: undefined
    body: undefined
    answer: {
      id: string
    }
  }
  /** Give an endpoint a new secret. */
  rotateEndpointSecret: {
    path: {
      endpointId: string
    }
    query: undefined
    body: {
      /** How long the old secret also signs; 0 ends it now. Default: 24 hours. */
      overlapMs?: number
    }
    answer: {
      id: string
      merchantId: string
      /** Where notifications are posted, https only; at most 2048 characters once percent-encoded. */
      url: string
      description: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
      enabled: boolean
      /** `gone`: it answered 410. `failing`: every attempt of five days has failed. */
      disabledReason?: 'merchant' | 'operator' | 'gone' | 'failing'
      disabledAt?: string
      /** Since when every attempt has failed. */
      failingSince?: string
      /** Until when notifications are also signed with the previous secret. */
      previousSecretUntil?: string
      /** Of a listener, which has no address: until when it is kept unless it takes deliveries. */
      listeningUntil?: string
      createdAt: string
      /** Signs notifications. Shown only here. */
      secret: string
    }
  }
  /** Send an endpoint a test. */
  testEndpoint: {
    path: {
      endpointId: string
    }
    query: undefined
    body: Record<string, unknown>
    answer: {
      eventId: string
    }
  }
  /** List the deliveries of an endpoint. */
  listDeliveries: {
    path: {
      endpointId: string
    }
    query: {
      status?: string | number | boolean
      /** Only deliveries about this payment. */
      paymentId?: string | number | boolean
      /** `nextCursor` of the previous page. */
      cursor?: string | number | boolean
      /** Rows per page. Default: 50. */
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      deliveries: Array<{
        /** The `webhook-id`. */
        eventId: string
        type: string
        paymentId?: string
        /** The payment's orderId. */
        orderId?: string
        status: 'pending' | 'delivered' | 'failed'
        attempts: number
        nextAttemptAt?: string
        queuedAt: string
        finishedAt?: string
      }>
      nextCursor?: string
    }
  }
  /** Read a delivery with its body and its attempts. */
  getDelivery: {
    path: {
      endpointId: string
      eventId: string
    }
    query: undefined
    body: undefined
    answer: {
      /** The `webhook-id`. */
      eventId: string
      type: string
      paymentId?: string
      /** The payment's orderId. */
      orderId?: string
      status: 'pending' | 'delivered' | 'failed'
      attempts: number
      nextAttemptAt?: string
      queuedAt: string
      finishedAt?: string
      /** The bytes sent at every attempt. */
      body: string
      /** Its attempts in their order; of more than 100 the newest. */
      log: Array<{
        attempt: number
        at: string
        /** HTTP status of the answer. */
        status?: number
        /** Why there was no answer. */
        error?: string
        latencyMs: number
        /** Start of the answer's body. */
        excerpt: string
      }>
    }
  }
  /** Send an event again. */
  redeliver: {
    path: {
      endpointId: string
      eventId: string
    }
    query: undefined
    body: Record<string, unknown>
    answer: {
      eventId: string
    }
  }
  /** Send all failed events since a time again. */
  redeliverSince: {
    path: {
      endpointId: string
    }
    query: undefined
    body: {
      since: string
    }
    answer: {
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
      description?: string
      /** Kinds of events that the endpoint receives; empty for all. */
      kinds?: Array<
        | 'payment.processing'
        | 'payment.paid'
        | 'payment.disput'
        | 'payment.disput-paid'
        | 'payment.expired'
        | 'payment.canceled'
        | 'payment.failed'
        | 'payment.ack-overdue'
        | 'payment.reversed'
        | 'settlement.paid'
        | 'endpoint.test'
      >
    }
    answer: {
      id: string
      listeningUntil: string
    }
  }
  /** Take the deliveries of a listener that are due. */
  takeDeliveries: {
    path: {
      endpointId: string
    }
    query: undefined
    body: {
      results?: Array<{
        /** The `webhook-id`. */
        eventId: string
        /** Number of the attempt that is to be made. */
        attempt: number
        /** When it was queued, or queued again. */
        queuedAt: string
        /** HTTP status of the answer. */
        status?: number
        /** Why there was no answer. */
        error?: 'connection_failed' | 'timeout' | 'failed'
        /** The header `Retry-After` of the answer. */
        retryAfter?: string
        latencyMs: number
        /** Start of the answer's body. */
        excerpt?: string
      }>
      /** Seconds to hold the answer until something is due. */
      wait?: number
    }
    answer: {
      deliveries: Array<{
        /** The `webhook-id`. */
        eventId: string
        /** Number of the attempt that is to be made. */
        attempt: number
        /** When it was queued, or queued again. */
        queuedAt: string
        /** The bytes to send at every attempt. */
        body: string
      }>
      listeningUntil: string
    }
  }
  /** Claim that a payment was paid. */
  openDispute: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: {
      /** The amount that the payer sent. */
      amount: number
      /** Default: `paid-not-credited`. */
      reason?: 'paid-not-credited' | 'wrong-amount' | 'other'
      /** For the operator. */
      note?: string
    }
    answer: {
      id: string
      paymentId: string
      orderId: string
      /** Status of the payment. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      /** `open` waits for a decision, `proposed` for a second operator. */
      state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
      claimant: 'merchant' | 'payer' | 'operator' | 'service'
      currency: string
      /** The amount claimed. */
      amount: number
      paymentAmount: number
      reason: string
      note?: string
      openedAt: string
      /** When it is due for a decision. */
      dueAt: string
      /** Present when it was accepted. */
      finalAmount?: number
      decidedAt?: string
      /** Why it was accepted or rejected. */
      decisionNote?: string
      evidence: Array<{
        id: string
        /** Detected from the content of the file. */
        contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/heic' | 'application/pdf'
        /** Bytes. */
        size: number
        by: string
        receivedAt: string
      }>
      history: Array<{
        sequence: number
        kind: string
        by: string
        note?: string
        at: string
      }>
    }
  }
  /** Read the last dispute of a payment. */
  getDispute: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: undefined
    answer: {
      id: string
      paymentId: string
      orderId: string
      /** Status of the payment. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      /** `open` waits for a decision, `proposed` for a second operator. */
      state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
      claimant: 'merchant' | 'payer' | 'operator' | 'service'
      currency: string
      /** The amount claimed. */
      amount: number
      paymentAmount: number
      reason: string
      note?: string
      openedAt: string
      /** When it is due for a decision. */
      dueAt: string
      /** Present when it was accepted. */
      finalAmount?: number
      decidedAt?: string
      /** Why it was accepted or rejected. */
      decisionNote?: string
      evidence: Array<{
        id: string
        /** Detected from the content of the file. */
        contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/heic' | 'application/pdf'
        /** Bytes. */
        size: number
        by: string
        receivedAt: string
      }>
      history: Array<{
        sequence: number
        kind: string
        by: string
        note?: string
        at: string
      }>
    }
  }
  /** Withdraw the merchant's own claim. */
  withdrawDispute: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: Record<string, unknown>
    answer: {
      id: string
      paymentId: string
      orderId: string
      /** Status of the payment. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      /** `open` waits for a decision, `proposed` for a second operator. */
      state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
      claimant: 'merchant' | 'payer' | 'operator' | 'service'
      currency: string
      /** The amount claimed. */
      amount: number
      paymentAmount: number
      reason: string
      note?: string
      openedAt: string
      /** When it is due for a decision. */
      dueAt: string
      /** Present when it was accepted. */
      finalAmount?: number
      decidedAt?: string
      /** Why it was accepted or rejected. */
      decisionNote?: string
      evidence: Array<{
        id: string
        /** Detected from the content of the file. */
        contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/heic' | 'application/pdf'
        /** Bytes. */
        size: number
        by: string
        receivedAt: string
      }>
      history: Array<{
        sequence: number
        kind: string
        by: string
        note?: string
        at: string
      }>
    }
  }
  /** Add a file to the open dispute of a payment. */
  addDisputeEvidence: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: Uint8Array | Blob
    answer: {
      id: string
      paymentId: string
      orderId: string
      /** Status of the payment. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
      /** `open` waits for a decision, `proposed` for a second operator. */
      state: 'proposed' | 'open' | 'accepted' | 'rejected' | 'withdrawn'
      claimant: 'merchant' | 'payer' | 'operator' | 'service'
      currency: string
      /** The amount claimed. */
      amount: number
      paymentAmount: number
      reason: string
      note?: string
      openedAt: string
      /** When it is due for a decision. */
      dueAt: string
      /** Present when it was accepted. */
      finalAmount?: number
      decidedAt?: string
      /** Why it was accepted or rejected. */
      decisionNote?: string
      evidence: Array<{
        id: string
        /** Detected from the content of the file. */
        contentType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/heic' | 'application/pdf'
        /** Bytes. */
        size: number
        by: string
        receivedAt: string
      }>
      history: Array<{
        sequence: number
        kind: string
        by: string
        note?: string
        at: string
      }>
    }
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
      /** Reserved by settlements in progress. */
      held: number
      /** Paid out by settlements so far. */
      paidOut: number
    }
  }
  /** List movements of the available balance. */
  listEntries: {
    path: undefined
    query: {
      /** `nextCursor` of the previous page. */
      cursor?: string | number | boolean
      /** Rows per page. Default: 50. */
      limit?: string | number | boolean
    }
    body: undefined
    answer: {
      entries: Array<{
        id: string
        /** One of credit, assign, reverse, hold, release, adjust; more may be added. */
        kind: string
        currency: string
        /** Change of the available balance; below zero for a decrease. */
        amount: number
        /** Fee that was deducted; not part of `amount`. */
        deducted: number
        paymentId?: string
        orderId?: string
        /** Reference of the settlement, decision or adjustment. */
        reference?: string
        postedAt: string
      }>
      nextCursor?: string
    }
  }
  /** Export the account statement. */
  getAccountStatement: {
    path: undefined
    query: {
      /** Start of the statement, inclusive. */
      from: string | number | boolean
      /** End of the statement, exclusive; at most 366 days after `from`. The statement ends two minutes ago at the latest, because entries may still be posted in that time; the header `payin-until` and the closing balance say where it ends. */
      to: string | number | boolean
      /** Default: `csv`. */
      format?: string | number | boolean
      /** Code written for USDT in camt.053, which allows three letters only. Default: `USD`. */
      currency?: string | number | boolean
    }
    body: undefined
    answer: string
  }
  /** List settlements. */
  listSettlements: {
    path: undefined
    query: {
      /** `nextCursor` of the previous page. */
      cursor?: string | number | boolean
      /** Rows per page. Default: 50. */
      limit?: string | number | boolean
      status?: string | number | boolean
    }
    body: undefined
    answer: {
      settlements: Array<{
        id: string
        /** The operator's own reference. */
        reference: string
        status: 'draft' | 'approved' | 'paid' | 'failed'
        currency: string
        amount: number
        /** Where the money is sent. */
        destination: string
        /** What identifies the payout. Present once it is paid. */
        externalReference?: string
        /** Why it failed. Its amount is available again. */
        failure?: string
        createdAt: string
        changedAt: string
      }>
      nextCursor?: string
    }
  }
  /** Read a settlement. */
  readSettlement: {
    path: {
      id: string
    }
    query: undefined
    body: undefined
    answer: {
      id: string
      /** The operator's own reference. */
      reference: string
      status: 'draft' | 'approved' | 'paid' | 'failed'
      currency: string
      amount: number
      /** Where the money is sent. */
      destination: string
      /** What identifies the payout. Present once it is paid. */
      externalReference?: string
      /** Why it failed. Its amount is available again. */
      failure?: string
      createdAt: string
      changedAt: string
    }
  }
  /** Simulate money or time for a sandbox payment. */
  simulatePayment: {
    path: {
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
    }
    query: undefined
    body: {
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
      /** Money to send, take back, claim or credit instead of what is usual for the event, at most ten times the amount of the payment. */
      amount?: number
      /** Milliseconds from now. */
      delayMs?: number
      /** Who reports the money: the bank's feed at once, or its statement, so that nobody knows of it before the file is imported. Default: `feed`. */
      reportedBy?: 'feed' | 'statement'
    }
    answer: {
      id: string
      orderId: string
      /** Payment status. An unknown status means "not decided yet": go on polling. */
      status: 'new' | 'processing' | 'paid' | 'disput' | 'disput-paid' | 'expired' | 'canceled' | 'failed'
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
    }
  }
  /** Download a statement of the sandbox merchant's simulated bank. */
  getSandboxStatement: {
    path: undefined
    query: {
      /** Default: `camt.053`. */
      format?: string | number | boolean
      /** Day of the bookings in the zone of each account. Default: today. */
      day?: string | number | boolean
      /** `card.id` of payments: the statement of that account alone. */
      cardId?: string | number | boolean
    }
    body: undefined
    answer: string
  }
  /** Turn the sandbox merchant's clock forward. */
  turnSandboxClock: {
    path: undefined
    query: undefined
    body: {
      /** Milliseconds, at most 90 days; a farther turn is several. */
      forwardMs: number
    }
    answer: {
      /** Payments whose time, or window for late money, was running. */
      payments: number
      /** Undecided disputes. */
      disputes: number
      /** Planned tries of notifications. */
      deliveries: number
    }
  }
}

/** Each kind of notification, with its body. */
export type Events = {
  /** Part of the money has come, or the payer claims to have paid. */
  'payment.processing': {
    type: 'payment.processing'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'processing'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** A payment is paid. */
  'payment.paid': {
    type: 'payment.paid'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'paid'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** A payment is under review. */
  'payment.disput': {
    type: 'payment.disput'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'disput'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** A payment is credited with another amount, or after a dispute. */
  'payment.disput-paid': {
    type: 'payment.disput-paid'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'disput-paid'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      /** Exact amount in `currency`. */
      finalAmount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** The time of a payment is over. */
  'payment.expired': {
    type: 'payment.expired'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'expired'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** A payment is canceled. */
  'payment.canceled': {
    type: 'payment.canceled'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'canceled'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** A payment has failed. */
  'payment.failed': {
    type: 'payment.failed'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'failed'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
    }
  }
  /** A credited payment has not been acknowledged. */
  'payment.ack-overdue': {
    type: 'payment.ack-overdue'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'paid' | 'disput-paid'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      /** Present with `disput-paid`. */
      finalAmount?: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
      creditedAt: string
    }
  }
  /** A bank took credited money back. */
  'payment.reversed': {
    type: 'payment.reversed'
    timestamp: string
    data: {
      id: string
      /** The merchant's own identifier of the order, compared byte for byte. */
      orderId: string
      /** Rises with every change of the status: ignore a lower one than you know. */
      sequence: number
      status: 'paid' | 'disput-paid'
      /** Why it has this status. */
      statusReason: string
      /** Exact amount in `currency`. */
      amount: number
      /** Present with `disput-paid`. */
      finalAmount?: number
      currency: string
      /** What the merchant noted with the payment. */
      metadata?: Record<string, string>
      /** What was taken back, in `currency`. */
      reversedAmount: number
      balanceChange: {
        currency: 'USDT'
        /** At most 0. */
        amount: number
      }
    }
  }
  /** Money was paid out to the merchant. */
  'settlement.paid': {
    type: 'settlement.paid'
    timestamp: string
    data: {
      id: string
      /** The operator's own reference. */
      reference: string
      /** Number of the last change. */
      sequence: number
      status: 'paid'
      /** Exact amount in `currency`. */
      amount: number
      currency: 'USDT'
      destination: string
      /** What identifies the payout. */
      externalReference: string | null
    }
  }
  /** A test of the endpoint. */
  'endpoint.test': {
    type: 'endpoint.test'
    timestamp: string
    data: {
      endpointId: string
    }
  }
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
  | 'combination_not_supported'
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
  listBankIssuers: ['GET', '/api/v1/merchant/payments/bankIssuers'],
  listEvents: ['GET', '/api/v1/merchant/events'],
  listEndpoints: ['GET', '/api/v1/merchant/endpoints'],
  createEndpoint: ['POST', '/api/v1/merchant/endpoints'],
  getEndpoint: ['GET', '/api/v1/merchant/endpoints/{endpointId}'],
  updateEndpoint: ['PATCH', '/api/v1/merchant/endpoints/{endpointId}'],
  removeEndpoint: ['DELETE', '/api/v1/merchant/endpoints/{endpointId}'],
  rotateEndpointSecret: ['POST', '/api/v1/merchant/endpoints/{endpointId}/rotate'],
  testEndpoint: ['POST', '/api/v1/merchant/endpoints/{endpointId}/test'],
  listDeliveries: ['GET', '/api/v1/merchant/endpoints/{endpointId}/deliveries'],
  getDelivery: ['GET', '/api/v1/merchant/endpoints/{endpointId}/deliveries/{eventId}'],
  redeliver: ['POST', '/api/v1/merchant/endpoints/{endpointId}/deliveries/{eventId}/redeliver'],
  redeliverSince: ['POST', '/api/v1/merchant/endpoints/{endpointId}/redeliver'],
  createListener: ['POST', '/api/v1/merchant/listeners'],
  takeDeliveries: ['POST', '/api/v1/merchant/listeners/{endpointId}/deliveries'],
  openDispute: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute'],
  getDispute: ['GET', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute'],
  withdrawDispute: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute/withdraw'],
  addDisputeEvidence: ['POST', '/api/v1/merchant/payments/byOrderId/{orderId}/dispute/evidence'],
  getBalance: ['GET', '/api/v1/merchant/balance'],
  listEntries: ['GET', '/api/v1/merchant/entries'],
  getAccountStatement: ['GET', '/api/v1/merchant/statement'],
  listSettlements: ['GET', '/api/v1/merchant/settlements'],
  readSettlement: ['GET', '/api/v1/merchant/settlements/{id}'],
  simulatePayment: ['POST', '/api/v1/sandbox/payments/byOrderId/{orderId}/simulate'],
  getSandboxStatement: ['GET', '/api/v1/sandbox/statement'],
  turnSandboxClock: ['POST', '/api/v1/sandbox/clock'],
} as const satisfies Record<keyof Operations, readonly [string, string]>
