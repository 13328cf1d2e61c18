import { version } from '../../settings/version.ts'

export const info = {
  title: 'Payin',
  // Of the service; the version of the API is in its addresses.
  version,
  summary: 'Create payments by bank transfer, learn when they are paid, and acknowledge them.',
  description: `Payin takes payments by bank transfer for merchants. A merchant's server creates a payment and shows its payer either the
account number to pay to or Payin's hosted page. When the money has arrived, the merchant learns about it by polling, from a signed notification or from the event feed, and acknowledges the payment.

**The steps of a payment**

1. \`createPayment\`: the response has the account number, the exact amount and \`redirectUrl\`, the payer's page.
2. \`getPaymentStatus\`, with \`wait\` to get the response when the status changes; or a notification such as \`payment.paid\`.
3. On \`paid\` or \`disput-paid\`: \`getPayment\`, credit the user once, then \`acknowledgePayment\`.

**Conventions**

- Amounts are JSON numbers with the exact decimals of their currency; read them as decimals, not as binary fractions.
- Times are in UTC, as \`2026-01-31T12:30:00.000Z\`.
- Fields without a value are left out. New fields, statuses and error codes may be added: ignore what you do not know.
- Requests are safe to repeat: a payment is created once for each \`orderId\`, and an acknowledgement changes nothing
  the second time.
- Every refusal is \`application/problem+json\` with a \`code\`, for programs, and a \`detail\`, for people.`,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

export const securitySchemes = {
  merchant: {
    type: 'http',
    scheme: 'bearer',
    description:
      "A merchant's access token, `payin_live_…` or, for simulated money, `payin_test_…`, as `Authorization: Bearer <token>`. A token has scopes; `x-scope` of an operation is the one that the operation needs. Call from a server: requests from a browser are refused, because a token in a browser is a stolen token.",
  },
  operator: {
    type: 'http',
    scheme: 'bearer',
    description:
      "An operator's token as `Authorization: Bearer <token>`. `x-roles` of an operation lists the roles that may call it, which have its `x-duty`.",
  },
  feed: {
    type: 'apiKey',
    in: 'header',
    name: 'payin-signature',
    description:
      '`v1=` followed by the hex HMAC-SHA-256 of `payin-timestamp`, a dot and the bytes of the body, with the key of the source.',
  },
  phone: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The secret of a phone as `Authorization: Bearer <secret>`, as the password of `Basic`, in `payin-secret`, or as the last part of the address. SMS Gateway signs instead: `x-signature` is the hex HMAC-SHA-256 of the body and `x-timestamp`. SmsForwarder may send `sign` with its `timestamp`.',
  },
}

const merchantTags = {
  payments:
    'Create payments, follow their status, acknowledge them. A payment is named by your own `orderId`, so that a request whose response was lost can be sent again.',
  links: 'Pages where payers start payments to you, for one payer or many. You need no server.',
  disputes:
    "For a payer who says that a closed payment was paid: open a dispute, add evidence, and read the operator's decision.",
  refunds: 'Give money back to payers, all of a payment or parts of it.',
  notifications:
    'How your server learns about changes without polling: endpoints that receive signed notifications, a log of deliveries, and a feed of all events for servers that cannot be called.',
  balance: 'Your balance, what changed it, and what was paid out to you.',
  requests: "Your programs' latest requests and their responses, to find out what went wrong.",
  sandbox:
    'Simulated money and time for merchants with `payin_test_…` tokens. All other operations work as they do for real money.',
}

/** Tags of the operator API, with the first parts of the addresses after `/api/v1/operator/`. */
const operatorTags: Readonly<Record<string, { readonly parts: readonly string[]; readonly description: string }>> = {
  overview: {
    parts: ['me', 'overview', 'search', 'resolve'],
    description: 'Who is signed in, what waits for a decision, and search across everything.',
  },
  merchants: {
    parts: ['merchants', 'tokens', 'limits', 'endpoints'],
    description: 'Merchants with their settings, terms, limits, access tokens and notification endpoints.',
  },
  payments: {
    parts: ['payments', 'claims', 'links'],
    description: "Payments of all merchants with their full history, and payers' claims.",
  },
  requisites: {
    parts: ['requisites', 'bank-issuers'],
    description: 'The accounts that payers pay to, with their limits, health and balances; and the banks.',
  },
  transfers: {
    parts: ['transfers', 'reversals', 'outgoing', 'outgoing-rules', 'decisions', 'overpayments'],
    description:
      'Money that came in and the payments it is for; money that banks took back, that left the accounts, or that is owed to payers.',
  },
  statements: {
    parts: [
      'statements',
      'statement-sources',
      'statement-accounts',
      'phones',
      'phone-messages',
      'message-templates',
      'sandbox',
    ],
    description:
      'Bank statements: upload, preview, import, withdraw; their sources; phones that forward messages of banks, and what these are taught to say; and the statements of the simulated bank.',
  },
  disputes: {
    parts: ['disputes'],
    description: 'Disputes with their evidence, and the decisions about them.',
  },
  risk: {
    parts: ['risk'],
    description: 'Which payers are refused or limited, and why.',
  },
  rates: {
    parts: ['rates', 'rate-sources', 'rate-overrides'],
    description: 'Rates of currencies: their sources, history and overrides.',
  },
  ledger: {
    parts: ['ledger', 'settlements', 'destinations', 'refunds'],
    description:
      'Balances, the journal, reconciliation with the banks, adjustments, settlements with merchants, and refunds to payers.',
  },
  installation: {
    parts: ['installation', 'doctor', 'alerts', 'alert-rules', 'alert-channels', 'members', 'keys', 'audit'],
    description: 'Running the installation: its state, alerts, members, encryption keys and audit.',
  },
}

/** The tag of an address of the operator API. Fails for one that has none: add its first part to the list above. */
export const operatorTagOf = (path: string): string | undefined => {
  const [, part] = /^\/api\/v1\/operator\/([^/.]+)/.exec(path) ?? []
  if (part === undefined) return undefined
  const [name] = Object.entries(operatorTags).find(([, { parts }]) => parts.includes(part)) ?? []
  if (name === undefined) throw new Error(`no tag for /api/v1/operator/${part}`)
  return `operator: ${name}`
}

const otherTags = {
  feeds:
    'Transfers that banks, or systems between them and Payin, push as they happen; messages of banks that phones forward.',
  health: 'Whether the process is alive and accepts requests, for load balancers.',
}

/** The tags of all operations, those of merchants first. */
export const tags = [
  ...Object.entries(merchantTags),
  ...Object.entries(operatorTags).map(([name, { description }]) => [`operator: ${name}`, description]),
  ...Object.entries(otherTags),
].map(([name, description]) => ({ name, description }))
