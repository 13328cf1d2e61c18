import type { MerchantMode } from './merchant.ts'
import { day, type Instant, windowAround } from '../time.ts'

/** How a payer may be identified: the merchant's id of its user, or one of the payer's own numbers. */
export const payerKinds = ['user', 'phone', 'account', 'card'] as const
export type PayerKind = (typeof payerKinds)[number]

/** How payments are counted: by user and phone before the payment, by account and card when the money has come. */
export const velocityKinds = ['user', 'phone', 'account', 'card'] as const
export type VelocityKind = (typeof velocityKinds)[number]

/** Longest window of a velocity rule in milliseconds; uses are kept this long. */
export const maxVelocityWindowMs = 31 * day

/** When a payer is checked: as the merchant creates the payment, on the payer's page, or as the money comes. */
export type Checkpoint = 'create' | 'page' | 'transfer'

/** A payer who is refused, by one merchant or (`null`) by all. */
export type RiskBlock = {
  readonly id: string
  readonly kind: PayerKind
  readonly merchantId: string | null
  readonly payerIndex: string
  readonly valueMasked: string
  readonly reason: string
  readonly createdBy: string
  readonly createdAt: Instant
  /** When it stops blocking; `null` for never. */
  readonly endsAt: Instant | null
  /** When an operator lifted it. */
  readonly endedAt: Instant | null
}

/**
 * At most `maxCount` payments, and at most `maxAmount` minor units in `currency`, of one payer in any span of
 * `windowMs`: at one merchant, or (`merchantId` null) at all merchants together; a user always belongs to one merchant.
 */
export type VelocityRule = {
  readonly id: string
  readonly kind: VelocityKind
  readonly merchantId: string | null
  readonly windowMs: number
  readonly maxCount: number | null
  readonly currency: string | null
  readonly maxAmount: bigint | null
  readonly reason: string
  readonly createdBy: string
  readonly createdAt: Instant
  readonly endedAt: Instant | null
}

export type PayerIdentity = {
  readonly kind: VelocityKind
  /** Blind index for storing and locking. */
  readonly index: string
  /** Blind indexes for look-ups, one per encryption key. */
  readonly indexes: readonly string[]
  /** The merchant's id of its user; `null` if the identity is a number. */
  readonly userId: string | null
}

/** A merchant's user who has shown a blocked number: entered it on the page of a payment, or paid from it. */
export type ShownNumber = {
  readonly blockId: string
  readonly merchantId: string
  readonly userId: string
  readonly paymentId: string
}

/** A payer's payment, as velocity rules count it. */
export type PayerUse = {
  readonly merchantId: string
  readonly paymentId: string
  readonly mode: MerchantMode
  readonly currency: string
  readonly amount: bigint
  readonly at: Instant
}

/** Which rule refuses a payer, and why: `explanation` contains what was found and what is allowed. */
export type RiskFinding = {
  readonly rule: 'block' | 'velocity'
  readonly ruleId: string
  readonly kind: PayerKind
  readonly explanation: Readonly<Record<string, string | number>>
}

/** Whether a block refuses a merchant's payers at `now`. */
export const isBlocking = (block: RiskBlock, merchantId: string, now: Instant): boolean =>
  block.endedAt === null &&
  (block.merchantId === null || block.merchantId === merchantId) &&
  (block.endsAt === null || now < block.endsAt)

/** The finding of a block; names the earlier payment if the user showed the blocked number there. */
export const blockFinding = (block: RiskBlock, shown?: Pick<ShownNumber, 'paymentId'>): RiskFinding => ({
  rule: 'block',
  ruleId: block.id,
  kind: block.kind,
  explanation: { reason: block.reason, ...(shown ? { shownWith: shown.paymentId } : {}) },
})

/**
 * Whether one more payment of a payer breaks a rule, given the payments of that payer that the rule has counted. A
 * payment counts until the window has passed; the new payment itself is never counted.
 */
export const breakVelocity = (
  rule: VelocityRule,
  uses: readonly PayerUse[],
  wanted: PayerUse,
): RiskFinding | undefined => {
  const { since, until } = windowAround(wanted.at, rule.windowMs)
  const counted = uses.filter(
    (use) =>
      use.paymentId !== wanted.paymentId &&
      use.mode === wanted.mode &&
      (rule.merchantId === null || use.merchantId === rule.merchantId) &&
      use.at > since &&
      use.at <= until,
  )
  const found = { windowMs: rule.windowMs, reason: rule.reason }
  if (rule.maxCount !== null && counted.length + 1 > rule.maxCount) {
    const explanation = { ...found, count: counted.length + 1, maxCount: rule.maxCount }
    return { rule: 'velocity', ruleId: rule.id, kind: rule.kind, explanation }
  }
  if (rule.maxAmount === null || rule.currency !== wanted.currency) return undefined
  const sum = counted
    .filter((use) => use.currency === rule.currency)
    .reduce((total, use) => total + use.amount, wanted.amount)
  if (sum <= rule.maxAmount) return undefined
  // Minor units as text, because JSON numbers would lose precision.
  const amounts = { currency: rule.currency, amountMinor: String(sum), maxAmountMinor: String(rule.maxAmount) }
  return { rule: 'velocity', ruleId: rule.id, kind: rule.kind, explanation: { ...found, ...amounts } }
}
