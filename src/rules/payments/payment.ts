import { type LockedTerms, type Terms, usualCreditCapPpm } from '../merchants/merchant.ts'
import { methodRules, type PaymentMethod, type TransferScope } from '../values/payment-method.ts'
import { afterBankingTime, type Instant, day, minute } from '../time.ts'

/** Kinds of payments: `direct` shows the requisite at once, `staged` on the page after the payer gave details. */
export const paymentTypes = ['direct', 'staged'] as const
export type PaymentType = (typeof paymentTypes)[number]

/** Statuses of a payment (docs/domain.md §2.1); the words are those of the wire. */
export const paymentStatuses = [
  'new',
  'processing',
  'paid',
  'disput',
  'disput-paid',
  'expired',
  'canceled',
  'failed',
] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** Statuses in which the payer need not act any more; they may still change by late money or a dispute. */
export const closedStatuses: ReadonlySet<PaymentStatus> = new Set([
  'paid',
  'disput-paid',
  'expired',
  'canceled',
  'failed',
])
/** Statuses that credit the merchant and wait for its acknowledgement. */
export const creditedStatuses: ReadonlySet<PaymentStatus> = new Set(['paid', 'disput-paid'])
/** Statuses in which the payer is still expected to pay. */
export const openStatuses: ReadonlySet<PaymentStatus> = new Set(['new', 'processing'])

/** Statuses in which a payment takes money, late money included. */
export const payableStatuses: ReadonlySet<PaymentStatus> = new Set([...openStatuses, 'expired'])
/** Statuses of a payment that was closed without money. */
export const unpaidStatuses: ReadonlySet<PaymentStatus> = new Set(['expired', 'canceled', 'failed'])

/** How a payment may be unusual: another amount came, it came late, or it is or was in dispute. */
export const unusualPayments = ['amount', 'late', 'disputed'] as const

/** Why a payment has its status: a second field, for people and for merchants who want details. */
export type StatusReason =
  | 'created'
  | 'claimed'
  | 'partial'
  | 'exact'
  | 'tolerance'
  | 'late'
  | 'underpaid'
  | 'overpaid'
  | 'timeout'
  | 'receipt'
  | 'canceled-by-merchant'
  | 'canceled-by-payer'
  | 'canceled-by-operator'
  | 'claim'
  | 'correction'
  | 'accepted'
  | 'rejected'
  | 'withdrawn'
  | 'risk'
  | 'requisite-lost'

const table = [
  { from: ['new'], to: 'processing', trigger: 'payer-claimed' },
  { from: ['new', 'expired'], to: 'processing', trigger: 'money-partial' },
  { from: ['new', 'processing', 'expired'], to: 'paid', trigger: 'money-right' },
  // Late money may come before the clock: a claimed payment keeps waiting, and a bank's clock may be ahead.
  { from: ['new', 'processing', 'expired'], to: 'paid', trigger: 'money-late' },
  { from: ['new', 'processing', 'expired'], to: 'disput-paid', trigger: 'money-mismatch-credited' },
  { from: ['new', 'processing', 'expired'], to: 'disput', trigger: 'money-mismatch-review' },
  { from: ['processing'], to: 'disput', trigger: 'receipt-at-deadline' },
  { from: ['expired', 'canceled', 'failed'], to: 'disput', trigger: 'dispute-opened' },
  { from: ['paid', 'disput-paid'], to: 'disput', trigger: 'correction-opened' },
  { from: ['disput'], to: 'disput-paid', trigger: 'dispute-accepted' },
  { from: ['disput'], to: 'paid', trigger: 'dispute-rejected' },
  { from: ['disput'], to: 'disput-paid', trigger: 'dispute-rejected' },
  { from: ['disput'], to: 'expired', trigger: 'dispute-rejected' },
  { from: ['disput'], to: 'canceled', trigger: 'dispute-rejected' },
  { from: ['disput'], to: 'failed', trigger: 'dispute-rejected' },
  { from: ['new', 'processing'], to: 'expired', trigger: 'time-out' },
  { from: ['new', 'processing'], to: 'canceled', trigger: 'canceled' },
  { from: ['new'], to: 'failed', trigger: 'service-closed' },
] as const

/** Causes of status changes. */
export type Trigger = 'created' | (typeof table)[number]['trigger']

/** The only allowed changes of status (docs/domain.md §2.2); anything else is refused. */
export const transitions: readonly {
  readonly from: readonly PaymentStatus[]
  readonly to: PaymentStatus
  readonly trigger: Trigger
}[] = table

/** Whether the table allows a change of status by a trigger. */
export const isTransition = (from: PaymentStatus, to: PaymentStatus, trigger: Trigger): boolean =>
  transitions.some((each) => each.to === to && each.trigger === trigger && each.from.includes(from))

/** Notes that a merchant adds to a payment for its own use: up to 20 texts by name (docs/domain.md §3.1). */
export type Metadata = Readonly<Record<string, string>>

/** A merchant's request for money from one of its users, and its result. Amounts are minor units. */
export type Payment = {
  readonly merchantId: string
  readonly id: string
  readonly orderId: string
  readonly type: PaymentType
  readonly method: PaymentMethod
  readonly sbpEnabled: boolean
  readonly bankIssuer: string | null
  readonly transferScope: TransferScope | null
  readonly userId: string
  readonly userIdGiven: boolean
  readonly returnUrl: string | null
  readonly locale: string | null
  readonly metadata: Metadata | null
  /** The payment link that started it; `null` if the merchant requested it itself. */
  readonly linkId: string | null
  readonly currency: string
  readonly amount: bigint
  /** The currency in which the merchant is credited; `ratePrice` is the price of one of it. */
  readonly quoteCurrency: string
  readonly ratePrice: bigint
  readonly rateCreatedAt: Instant
  /** `amount` in minor units of the quote currency, before the fee. */
  readonly total: bigint
  readonly status: PaymentStatus
  readonly statusReason: StatusReason
  /** Number of the last event; increases by one with every status change. */
  readonly sequence: number
  /** Money matched to this payment so far. */
  readonly received: bigint
  readonly finalAmount: bigint | null
  /** How much of a credit is worth `ratePrice`, the rest being worth `laterPrice`; both are `null` if all of it is. */
  readonly lockedPart: bigint | null
  readonly laterPrice: bigint | null
  readonly requisiteId: string
  /** Whether anybody has seen the requisite, so that money may be on its way. */
  readonly requisiteShown: boolean
  /** Whether it holds its amount on the requisite next to other payments of the same amount (docs/domain.md §3.5). */
  readonly sharesSlot: boolean
  /** The requisite that the payer saw before choosing another method; money there still counts. */
  readonly switchedFrom: string | null
  /** Masked payer-side number, `''` until it is known. */
  readonly sourcePan: string
  /** Code of the bank that the payer chose on the page. */
  readonly payerBank: string | null
  /** Whether the payer was asked for the name from which it pays, because others may pay the same amount. */
  readonly isPayerNamed: boolean
  /** How often the payer has corrected its phone and bank. */
  readonly payerChanges: number
  readonly terms: LockedTerms
  readonly createdAt: Instant
  readonly expiredAt: Instant
  readonly claimedAt: Instant | null
  readonly changedAt: Instant
  readonly acknowledgedAt: Instant | null
  /** When the payer last uploaded a receipt. */
  readonly receiptAt: Instant | null
  /** When the payer of a closed payment claimed to have paid it. */
  readonly claimReceivedAt: Instant | null
}

/** The state of a payment that nothing has happened to yet. */
export const newState = {
  status: 'new',
  statusReason: 'created',
  sequence: 1,
  received: 0n,
  finalAmount: null,
  lockedPart: null,
  laterPrice: null,
  switchedFrom: null,
  sourcePan: '',
  payerBank: null,
  isPayerNamed: false,
  payerChanges: 0,
  claimedAt: null,
  acknowledgedAt: null,
  receiptAt: null,
  claimReceivedAt: null,
} as const satisfies Partial<Payment>

/** What a merchant requested, after validation; two requests are the same if everything but `metadata` is equal. */
export type PaymentRequest = Pick<
  Payment,
  'type' | 'method' | 'amount' | 'currency' | 'orderId' | 'sbpEnabled' | 'transferScope' | 'bankIssuer'
> & { readonly userId: string | null } & Pick<Payment, 'returnUrl' | 'locale' | 'metadata'>

/**
 * The requisites to which a payment's money may come, and on which it therefore holds the slot of its amount: its
 * requisite and, if the payer chose another method, the one shown before.
 */
export const requisitesOf = ({ requisiteId, switchedFrom }: Payment): readonly string[] =>
  switchedFrom === null ? [requisiteId] : [requisiteId, switchedFrom]

/** Whether a payment takes an amount that others hold on its requisite, and lets others do so (docs/domain.md §3.5). */
export const mayShareSlot = (type: PaymentType, { equalAmounts }: Pick<Terms, 'equalAmounts'>): boolean =>
  (equalAmounts ?? (type === 'staged' ? 'share' : 'refuse')) === 'share'

/** The most that a payment is credited without a person's decision, in minor units. */
export const creditCap = ({ amount, terms }: Pick<Payment, 'amount' | 'terms'>): bigint =>
  (amount * BigInt(terms.creditCapPpm ?? usualCreditCapPpm)) / 1_000_000n

/**
 * How far money may be from the amount and still count as right, in minor units. Whatever its terms say, at most a
 * fiftieth of the amount: the credit is the whole amount, so a tolerance as large as it would credit money that never came.
 */
export const toleranceOf = ({ amount, terms }: Pick<Payment, 'amount'> & TermsOf<'toleranceMinor'>): bigint => {
  const most = amount / 50n
  return terms.toleranceMinor < most ? terms.toleranceMinor : most
}

type TermsOf<Name extends keyof Terms> = { readonly terms: Pick<Terms, Name> }

/** Until when a bank booking still counts as in time. */
export const acceptUntil = ({ expiredAt, terms }: TermsOf<'graceMs'> & Pick<Payment, 'expiredAt'>): Instant =>
  expiredAt + terms.graceMs

/** Until when an unpaid payment holds its slot, so that late money finds it: counted in the days of its rail. */
export const lateUntil = (
  payment: TermsOf<'graceMs' | 'lateWindowMs'> & Pick<Payment, 'expiredAt' | 'method'>,
): Instant => {
  const { lateWindowMs } = payment.terms
  const from = acceptUntil(payment)
  return methodRules[payment.method].rail === 'instant' ? from + lateWindowMs : afterBankingTime(from, lateWindowMs)
}

/** When time alone next changes the payment; `null` if it never will. */
export const dueAt = (
  payment: Pick<Payment, 'status' | 'expiredAt' | 'claimedAt' | 'received' | 'terms'>,
): Instant | null => {
  if (payment.status === 'new') return payment.expiredAt
  if (payment.status !== 'processing') return null
  // A partly paid payment waits for the rest, and so does one whose part was reversed: both hold their slot that long.
  if (payment.claimedAt === null) return acceptUntil(payment)
  const confirmUntil = payment.claimedAt + payment.terms.confirmDeadlineMs
  return Math.max(payment.received === 0n ? payment.expiredAt : acceptUntil(payment), confirmUntil)
}

/** How often a payer may correct its phone and bank: each new number is judged again. */
const maxPayerChanges = 3

/** Whether the payer of a staged payment may still correct its phone and bank. */
export const mayChangePayer = (payment: Payment, now: Instant): boolean =>
  payment.type === 'staged' &&
  payment.requisiteShown &&
  payment.status === 'new' &&
  payment.received === 0n &&
  now < payment.expiredAt &&
  payment.payerChanges < maxPayerChanges

/** Whether the payer may still cancel: there is time left to pay, and no money has come. */
export const mayCancel = (payment: Payment, now: Instant): boolean =>
  openStatuses.has(payment.status) && payment.received === 0n && now < payment.expiredAt

/**
 * Until when the slot of a payment stays taken, given its status at `now`; `null` if the status does not change the
 * hold.
 */
export const slotUntil = (payment: Payment, now: Instant): Instant | null => {
  if (creditedStatuses.has(payment.status)) return now + payment.terms.coolDownMs
  // A claimed payment may stay open beyond a short late window, and must not share its slot meanwhile.
  if (payment.status === 'processing') return Math.max(lateUntil(payment), dueAt(payment) ?? now)
  const abandoned = payment.status === 'canceled' || payment.status === 'failed'
  return abandoned && !payment.requisiteShown ? now : null
}

/** The fields in which a request differs from the payment that already has its orderId. */
export const differingFields = (request: PaymentRequest, payment: Payment): string[] =>
  Object.entries(request).flatMap(([field, wanted]) => {
    const known = field === 'userId' && !payment.userIdGiven ? null : payment[field as keyof PaymentRequest]
    return field === 'orderId' || field === 'metadata' || wanted === known ? [] : [field]
  })

/** One step of a payment: the changed fields and the event that explains them. */
export type PaymentChange = {
  readonly to: PaymentStatus
  readonly reason: StatusReason
  readonly trigger: Trigger
  readonly received?: bigint
  readonly finalAmount?: bigint
  readonly claimedAt?: Instant
} & Partial<Pick<Payment, 'lockedPart' | 'laterPrice'>>

/** The payment after a change; throws if the transition table does not allow it. */
export const applyChange = (payment: Payment, change: PaymentChange, now: Instant): Payment => {
  const { to, reason, trigger, ...fields } = change
  if (!isTransition(payment.status, to, trigger)) {
    throw new Error(`payment ${payment.id}: no transition ${payment.status} → ${to} by ${trigger}`)
  }
  return {
    ...payment,
    ...fields,
    status: to,
    statusReason: reason,
    sequence: payment.sequence + 1,
    finalAmount: to === 'disput-paid' ? (change.finalAmount ?? payment.finalAmount) : null,
    // A new credit is new to the merchant: it must be acknowledged again (docs/domain.md §2.3).
    acknowledgedAt: null,
    changedAt: Math.max(now, payment.changedAt),
  }
}

/** How much of a payment's credit no money covers, because two operators agreed to credit it. */
const uncoveredOf = ({ status, finalAmount, received }: Payment): bigint =>
  creditedStatuses.has(status) && finalAmount !== null && finalAmount > received ? finalAmount - received : 0n

/**
 * Where money for a payment goes: to the payment until it is credited, then to what no money covers of its credit; the rest
 * is owed to its payer.
 */
export const splitReceived = (
  payment: Payment,
  amount: bigint,
): readonly { readonly kind: 'payment' | 'overpayment'; readonly amount: bigint }[] => {
  if (!creditedStatuses.has(payment.status)) return [{ kind: 'payment', amount }]
  const uncovered = uncoveredOf(payment)
  const covering = amount < uncovered ? amount : uncovered
  const parts = [
    { kind: 'payment', amount: covering },
    { kind: 'overpayment', amount: amount - covering },
  ] as const
  return parts.filter((each) => each.amount > 0n)
}

/** The claim of a closed payment's payer: how much it sent, and when. */
export type PayerClaim = { readonly amount: bigint; readonly paidAt: Instant }

/** Until when a closed payment accepts claims and receipts: a month after the end of its late window. */
export const claimableUntil = (payment: Pick<Payment, 'expiredAt' | 'terms' | 'method'>): Instant =>
  lateUntil(payment) + 30 * day

/**
 * Whether the payer may claim to have paid: the payment was closed without money (or its time has ended and the job is
 * late), the payer has seen where to pay, and it is not too long ago.
 */
export const mayClaim = (payment: Payment, now: Instant): boolean => {
  if (!payment.requisiteShown || payment.received > 0n || now >= claimableUntil(payment)) return false
  return unpaidStatuses.has(payment.status) || now >= (dueAt(payment) ?? Number.POSITIVE_INFINITY)
}

/** Whether the payer may send receipts: it claims to have paid, and the money has not been found yet. */
export const maySendReceipt = (payment: Payment, now: Instant): boolean =>
  mayClaim(payment, now) || (payment.requisiteShown && (payment.status === 'processing' || payment.status === 'disput'))

/**
 * Whether the time that the payer gives is plausible: not in the future, unless it may be by the clock of an unknown
 * zone; payers' clocks may be minutes off.
 */
export const isClaimTime = (
  payment: Pick<Payment, 'createdAt'>,
  paidAt: Instant,
  now: Instant,
  isZoneKnown: boolean,
): boolean => paidAt > payment.createdAt - day && paidAt < now + (isZoneKnown ? 15 * minute : day)
