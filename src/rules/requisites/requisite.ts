import type { MerchantMode } from '../merchants/merchant.ts'
import type { PaymentMethod, TransferScope } from '../values/payment-method.ts'
import { type Instant, minuteOfDay } from '../time.ts'

/** Limits of a new requisite: none, except for the run that pauses it. */
export const noRequisiteLimits = {
  minAmount: null as bigint | null,
  maxAmount: null as bigint | null,
  dayAmount: null as bigint | null,
  dayCount: null as number | null,
  monthAmount: null as bigint | null,
  monthCount: null as number | null,
  openPayments: null as number | null,
  /** Minutes of the day in which it may be given to payments, e.g. `[540, 1260]` for 09:00–21:00. */
  workingMinutes: null as readonly [number, number] | null,
  /** Paused automatically after this many expired payments, or transfers without a known payment, in a row. */
  pauseAfter: 10 as number | null,
  /** How long it holds the slot of an unpaid payment after its grace; `null` for the merchant's terms. */
  lateWindowMs: null as number | null,
  /** How long it holds the slot of a credited payment; `null` for the merchant's terms. */
  coolDownMs: null as number | null,
  /**
   * UTC offset of its time zone, for working hours, for the days and months of the other limits, and for what its bank
   * reports in local time.
   */
  utcOffsetMinutes: 180,
}

/** Limits of a receiving account; `null` means no limit. Amounts are minor units. */
export type RequisiteLimits = Readonly<typeof noRequisiteLimits>

/** The limits that are amounts of the requisite's currency. */
export const limitAmounts = ['minAmount', 'maxAmount', 'dayAmount', 'monthAmount'] as const

/** Whether payments get a requisite; a retired one never comes back. */
export const requisiteStatuses = ['active', 'paused', 'retired'] as const
export type RequisiteStatus = (typeof requisiteStatuses)[number]

/** Why and since when (ISO 8601) all money on an account waits for a person; by the statement that does not add up. */
export type CreditingHeld = { readonly reason: string; readonly since: string; readonly statementId?: string }

/** A time zone that counts once another operator sets it, too. */
export type ProposedZone = { readonly utcOffsetMinutes: number; readonly by: string }

/** A receiving account, card or phone number that the operator or a merchant owns. */
export type Requisite = {
  readonly id: string
  /** Owner; `null` for the pool that all merchants share. */
  readonly merchantId: string | null
  /** Real accounts serve only live merchants, made-up ones only sandbox merchants. */
  readonly mode: MerchantMode
  readonly method: PaymentMethod
  readonly currency: string
  readonly transferScope: TransferScope | null
  readonly bankIssuer: string
  /** The operators' name for it. */
  readonly label: string | null
  readonly holder: string
  readonly numberSealed: string
  readonly numberMasked: string
  /** Details of the recipient; `null` if nothing was entered. */
  readonly recipientSealed: string | null
  readonly limits: RequisiteLimits
  readonly status: RequisiteStatus
  /** Why only persons credit its money; `null` if it is credited automatically. */
  readonly creditingHeld: CreditingHeld | null
  readonly proposedZone: ProposedZone | null
}

/** The windows for which slots stay taken: instant rails need less than slow ones. */
export type Windows = { readonly lateWindowMs: number; readonly coolDownMs: number }

/** The windows of payments on a requisite: its own or, where it has none, those of the terms. */
export const windowsOn = ({ limits }: Pick<Requisite, 'limits'>, terms: Windows): Windows => ({
  lateWindowMs: limits.lateWindowMs ?? terms.lateWindowMs,
  coolDownMs: limits.coolDownMs ?? terms.coolDownMs,
})

/** The longer ones of two pairs of windows. */
export const longerWindows = (one: Windows, other: Windows): Windows => ({
  lateWindowMs: Math.max(one.lateWindowMs, other.lateWindowMs),
  coolDownMs: Math.max(one.coolDownMs, other.coolDownMs),
})

/** Usage of a requisite without payments. */
export const noUsage = {
  open: 0,
  dayCount: 0,
  dayAmount: 0n,
  monthCount: 0,
  monthAmount: 0n,
  /** What of it no money has come for so far. */
  ...{ dayUnpaid: 0, dayUnpaidAmount: 0n, monthUnpaid: 0, monthUnpaidAmount: 0n },
  /** The merchants of the open payments, one for each payment. */
  openOf: [] as readonly string[],
}

/** Current usage of a requisite: open or credited payments, by the day and month of its time zone. */
export type RequisiteUsage = Readonly<typeof noUsage>

/** What a payment needs of its requisite. */
export type RequisiteWish = {
  readonly merchantId: string
  /** Whether the shared pool is excluded. */
  readonly ownOnly: boolean
  readonly mode: MerchantMode
  readonly method: PaymentMethod
  readonly currency: string
  readonly transferScope: TransferScope | null
  readonly bankIssuer: string | null
  readonly amount: bigint
  /** Whether the payment may hold its amount next to others that share it. */
  readonly mayShare?: boolean
  /** Whether other merchants may get requisites of the shared pool, so that this one gets only its fair share. */
  readonly isPoolContested?: boolean
}

/** Why a requisite is not given to a payment. */
export type RequisiteRefusal =
  | 'not-active'
  | 'other-merchant'
  | 'shared'
  | 'other-mode'
  | 'other-method'
  | 'other-currency'
  | 'other-scope'
  | 'other-bank'
  | 'amount-too-small'
  | 'amount-too-large'
  | 'outside-working-hours'
  | 'day-limit'
  | 'month-limit'
  | 'open-payments-limit'
  | 'slot-taken'
  | 'fair-share'

/** The limits of a day or a month. */
export const periodLimits = [
  ['dayAmount', 'day'],
  ['dayCount', 'day'],
  ['monthAmount', 'month'],
  ['monthCount', 'month'],
] as const
export type PeriodLimit = (typeof periodLimits)[number][0]

/** Whether the limits depend on usage, which must then be read under a lock. */
export const hasUsageLimits = ({ limits }: Requisite): boolean =>
  limits.openPayments !== null || periodLimits.some(([name]) => limits[name] !== null)

const exceeds = <T extends number | bigint>(limit: T | null, value: T): boolean => limit !== null && value > limit

const isWorking = ({ workingMinutes, utcOffsetMinutes }: RequisiteLimits, now: Instant): boolean => {
  if (workingMinutes === null) return true
  const [from, to] = workingMinutes
  const at = minuteOfDay(now, utcOffsetMinutes)
  return from <= to ? from <= at && at < to : at >= from || at < to
}

/** Why a requisite does not fit a wish, apart from its usage and its slots; `undefined` if it does. */
export const unfit = (requisite: Requisite, wish: RequisiteWish, now: Instant): RequisiteRefusal | undefined => {
  if (requisite.status !== 'active') return 'not-active'
  if (requisite.merchantId !== null && requisite.merchantId !== wish.merchantId) return 'other-merchant'
  if (requisite.merchantId === null && wish.ownOnly) return 'shared'
  if (requisite.mode !== wish.mode) return 'other-mode'
  if (requisite.method !== wish.method) return 'other-method'
  if (requisite.currency !== wish.currency) return 'other-currency'
  if (requisite.transferScope !== wish.transferScope) return 'other-scope'
  if (wish.bankIssuer !== null && requisite.bankIssuer !== wish.bankIssuer) return 'other-bank'
  if (requisite.limits.minAmount !== null && wish.amount < requisite.limits.minAmount) return 'amount-too-small'
  if (exceeds(requisite.limits.maxAmount, wish.amount)) return 'amount-too-large'
  return isWorking(requisite.limits, now) ? undefined : 'outside-working-hours'
}

/**
 * What counts toward a limit. Money counts in full. Unpaid payments count half, because not all of them will be paid, but
 * never more than half of the remaining room, so unpaid payments alone cannot close an account.
 */
const likelyUse = (limit: bigint, used: bigint, unpaid: bigint): bigint => {
  const money = used - unpaid
  const room = limit > money ? limit - money : 0n
  const [likely, most] = [(unpaid + 1n) / 2n, room / 2n]
  return money + (likely < most ? likely : most)
}

const hasRoomFor = (
  limit: number | bigint | null,
  used: number | bigint,
  unpaid: number | bigint,
  more: bigint,
): boolean => limit === null || likelyUse(BigInt(limit), BigInt(used), BigInt(unpaid)) + more <= BigInt(limit)

/** Whether a requisite may have one more open payment of a merchant: of a shared one, it gets three quarters. */
const mayOpen = (
  { limits, merchantId }: Requisite,
  { open, openOf }: RequisiteUsage,
  wish: Pick<RequisiteWish, 'merchantId' | 'isPoolContested'>,
): boolean => {
  if (limits.openPayments === null) return true
  if (open >= limits.openPayments) return false
  if (merchantId !== null || !wish.isPoolContested) return true
  return openOf.filter((each) => each === wish.merchantId).length < fairShare(limits.openPayments)
}

/** Why one more payment would break a requisite's limits; `undefined` if it would not. */
export const overused = (
  requisite: Requisite,
  usage: RequisiteUsage,
  wish: Pick<RequisiteWish, 'merchantId' | 'amount' | 'isPoolContested'>,
): RequisiteRefusal | undefined => {
  const { limits } = requisite
  const { amount } = wish
  if (!mayOpen(requisite, usage, wish)) return 'open-payments-limit'
  const fits = (period: 'day' | 'month'): boolean =>
    hasRoomFor(limits[`${period}Count`], usage[`${period}Count`], usage[`${period}Unpaid`], 1n) &&
    hasRoomFor(limits[`${period}Amount`], usage[`${period}Amount`], usage[`${period}UnpaidAmount`], amount)
  if (!fits('day')) return 'day-limit'
  return fits('month') ? undefined : 'month-limit'
}

const usedTenths = (limit: number | bigint | null, used: number | bigint): number =>
  limit === null || BigInt(limit) === 0n ? 0 : Number((BigInt(used) * 10n) / BigInt(limit))

/**
 * Tenths that a requisite has left of its tightest limit, 10 for one without limits; emptier requisites are chosen
 * first.
 */
export const roomLeft = ({ limits }: Requisite, usage: RequisiteUsage): number => {
  const ofPeriods = periodLimits.map(([name]) => usedTenths(limits[name], usage[name]))
  return Math.max(0, 10 - Math.max(usedTenths(limits.openPayments, usage.open), ...ofPeriods))
}

type NewPayment = Pick<RequisiteWish, 'merchantId' | 'amount'>

const changeUsage = (
  usage: RequisiteUsage,
  count: number,
  amount: bigint,
  openOf: readonly string[],
): RequisiteUsage => ({
  ...{ open: usage.open + count, openOf },
  ...{ dayCount: usage.dayCount + count, dayAmount: usage.dayAmount + amount },
  ...{ monthCount: usage.monthCount + count, monthAmount: usage.monthAmount + amount },
  ...{ dayUnpaid: usage.dayUnpaid + count, dayUnpaidAmount: usage.dayUnpaidAmount + amount },
  ...{ monthUnpaid: usage.monthUnpaid + count, monthUnpaidAmount: usage.monthUnpaidAmount + amount },
})

/** Usage after one more payment. */
export const addUsage = (usage: RequisiteUsage, { merchantId, amount }: NewPayment): RequisiteUsage =>
  changeUsage(usage, 1, amount, [...usage.openOf, merchantId])

/** Usage without a new payment that was counted before. */
export const subtractUsage = (usage: RequisiteUsage, { merchantId, amount }: NewPayment): RequisiteUsage => {
  const at = usage.openOf.lastIndexOf(merchantId)
  return changeUsage(usage, -1, -amount, usage.openOf.toSpliced(at, at < 0 ? 0 : 1))
}

/** A requisite in the explanation of a choice. */
export type RequisiteVerdict = {
  readonly requisite: Requisite
  readonly refused: RequisiteRefusal | null
  readonly hasOpenPayment: boolean
  readonly room: number
  /** Who holds the amount on it; `null` if nobody does. */
  readonly held: { readonly holders: number; readonly heldUntil: Instant; readonly shares: boolean } | null
}

/** The occupancy of requisites, by their ids. */
export type Occupancy = {
  usageOf(requisiteId: string): RequisiteUsage
  /** Whether other payments of the same amount hold it. */
  isSlotTaken(requisiteId: string): boolean
  /** See `sharersFor`. */
  sharingOn(requisite: Requisite): number | undefined
  hasOpenPayment(requisiteId: string): boolean
  /** Whether it is left to other merchants; see `beyondFairShare`. */
  isBeyondShare?(requisite: Requisite): boolean
}

/** On how many of the shared requisites that fit, one merchant may hold the same amount: three quarters. */
export const fairShare = (requisites: number): number => Math.max(1, Math.floor((requisites * 3) / 4))

/**
 * The shared requisites that are left to other merchants because this one already holds the amount on its fair share of
 * those that fit.
 */
export const beyondFairShare = (
  offered: Iterable<Requisite>,
  wish: RequisiteWish,
  now: Instant,
  isHeldByMerchant: (requisiteId: string) => boolean,
): ((requisite: Requisite) => boolean) => {
  if (!wish.isPoolContested) return () => false
  // Whatever bank is asked for: otherwise a merchant could take each bank's only account.
  const anyBank = { ...wish, bankIssuer: null }
  const shared = [...offered].filter((each) => each.merchantId === null && unfit(each, anyBank, now) === undefined)
  const held = shared.filter(({ id }) => isHeldByMerchant(id)).length
  const isFull = held >= fairShare(shared.length)
  return ({ id, merchantId }) => isFull && merchantId === null && !isHeldByMerchant(id)
}

const maxRoom = 10

/**
 * Chooses one of the offered requisites: those without an open payment first (money of any amount then fits only one
 * payment), the merchant's own before the shared pool, then the most room left, then the least recently used. They must
 * be offered in this order, except for their room.
 */
export const chooseRequisite = (
  offered: Iterable<Requisite>,
  wish: RequisiteWish,
  now: Instant,
  occupancy: Omit<Occupancy, 'sharingOn'>,
): Requisite | undefined => {
  let best: Requisite | undefined
  let bestRank = -1
  for (const requisite of offered) {
    const order = (occupancy.hasOpenPayment(requisite.id) ? 0 : 2) + (requisite.merchantId === null ? 0 : 1)
    const highest = order * (maxRoom + 1) + maxRoom
    // Later ones have no higher rank.
    if (best && highest <= bestRank) break
    const rank = highest - maxRoom + roomLeft(requisite, occupancy.usageOf(requisite.id))
    if (rank <= bestRank || judgeRequisite(requisite, wish, now, occupancy)) continue
    best = requisite
    bestRank = rank
  }
  return best
}

/** Most payments that hold the same amount on a requisite at a time. */
const maxSharing = 50

/** How many payments of one merchant may share an amount on a requisite that others may use, too. */
const fairSharing = fairShare(maxSharing)

/** Those who hold an amount on a requisite. */
export type Holders = { readonly holders: number; readonly merchantIds: readonly string[]; readonly shares: boolean }

/** How many payments hold an amount on a requisite if a wish may become one more of them; `undefined` if it may not. */
export const sharersFor = (
  wish: RequisiteWish,
  requisite: Requisite,
  held: Holders | undefined,
): number | undefined => {
  if (!wish.mayShare || !held?.shares || held.holders >= maxSharing) return undefined
  const own = held.merchantIds.filter((each) => each === wish.merchantId).length
  const isContested = wish.isPoolContested && requisite.merchantId === null
  return isContested && own >= fairSharing ? undefined : held.holders
}

/**
 * Chooses the requisite on which a payment shares an amount that others hold, if no requisite is free for it: the one
 * with the fewest holders.
 */
export const chooseShared = (
  offered: Iterable<Requisite>,
  wish: RequisiteWish,
  now: Instant,
  occupancy: Pick<Occupancy, 'usageOf' | 'sharingOn' | 'isBeyondShare'>,
): Requisite | undefined => {
  if (!wish.mayShare) return undefined
  let best: Requisite | undefined
  let fewest = maxSharing
  for (const requisite of offered) {
    const sharing = occupancy.sharingOn(requisite) ?? maxSharing
    const isSlotTaken = (): boolean => sharing >= fewest
    if (judgeRequisite(requisite, wish, now, { ...occupancy, isSlotTaken })) continue
    best = requisite
    fewest = sharing
  }
  return best
}

/** Why a requisite is refused for a wish, considering everything; `undefined` if it could be chosen. */
export const judgeRequisite = (
  requisite: Requisite,
  wish: RequisiteWish,
  now: Instant,
  { usageOf, isSlotTaken, isBeyondShare }: Pick<Occupancy, 'usageOf' | 'isSlotTaken' | 'isBeyondShare'>,
): RequisiteRefusal | undefined =>
  unfit(requisite, wish, now) ??
  overused(requisite, usageOf(requisite.id), wish) ??
  (isSlotTaken(requisite.id) ? 'slot-taken' : undefined) ??
  (isBeyondShare?.(requisite) ? 'fair-share' : undefined)
