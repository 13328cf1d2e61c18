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
const blockFinding = (block: RiskBlock, shown?: Pick<ShownNumber, 'paymentId'>): RiskFinding => ({
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

export type RiskRules = {
  /** Whether there are no blocks and no rules, so that no payer needs to be looked up. */
  readonly isEmpty: boolean
  /** The block that refuses a payer at `now`: its own, or that of a number which the user has shown. */
  findBlock(merchantId: string, payer: PayerIdentity, now: Instant): RiskFinding | undefined
  rulesFor(merchantId: string, kind: VelocityKind): readonly VelocityRule[]
}

/** Blocks and velocity rules, without those rules that have ended. */
export const arrangeRules = (
  blocks: readonly RiskBlock[],
  all: readonly VelocityRule[],
  shown: readonly ShownNumber[],
): RiskRules => {
  const rules = all.filter((rule) => rule.endedAt === null)
  const byPayer = Map.groupBy(blocks, (block) => block.payerIndex)
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const userKey = (merchantId: string, userId: string): string => `${merchantId} ${userId}`
  const byUser = Map.groupBy(shown, ({ merchantId, userId }) => userKey(merchantId, userId))
  return {
    isEmpty: blocks.length === 0 && rules.length === 0,
    findBlock: (merchantId, { indexes, userId }, now) => {
      const own = indexes.flatMap((index) => byPayer.get(index) ?? [])
      const block = own.find((each) => isBlocking(each, merchantId, now))
      if (block) return blockFinding(block)
      for (const each of userId === null ? [] : (byUser.get(userKey(merchantId, userId)) ?? [])) {
        const ofNumber = byId.get(each.blockId)
        if (ofNumber && isBlocking(ofNumber, merchantId, now)) return blockFinding(ofNumber, each)
      }
      return undefined
    },
    rulesFor: (merchantId, kind) =>
      rules.filter((rule) => rule.kind === kind && (rule.merchantId === null || rule.merchantId === merchantId)),
  }
}

/** A payment to be judged, with the watched identities of its payer. */
export type JudgedPayment = PayerUse & { readonly payers: readonly PayerIdentity[] }

/** A payment that counts for one of the identities of its payer. */
export type StoredUse = PayerUse & { readonly payerIndex: string; readonly kind: PayerIdentity['kind'] }

const usesOf = (uses: readonly StoredUse[], { kind, indexes }: PayerIdentity): StoredUse[] =>
  uses.filter((use) => use.kind === kind && indexes.includes(use.payerIndex))

/** What counts once a payment is judged. */
export const usesOfPayers = ({ payers, ...judged }: JudgedPayment): StoredUse[] =>
  payers.map(({ index, kind }) => ({ ...judged, payerIndex: index, kind }))

/** Why the payer of a payment is refused, given the payments that count: by a block, or else by a velocity rule. */
export const findRisk = (
  rules: RiskRules,
  uses: readonly StoredUse[],
  judged: JudgedPayment,
): RiskFinding | undefined => {
  const { merchantId, payers, at } = judged
  for (const payer of payers) {
    const finding = rules.findBlock(merchantId, payer, at)
    if (finding) return finding
  }
  for (const payer of payers) {
    for (const rule of rules.rulesFor(merchantId, payer.kind)) {
      const finding = breakVelocity(rule, usesOf(uses, payer), judged)
      if (finding) return finding
    }
  }
  return undefined
}
