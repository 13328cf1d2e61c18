import { describeSpan, describeTime } from './alert-message.ts'
import type { AlertFinding } from './alert.ts'
import { currencyDecimals } from './currency.ts'
import { formatDecimal } from './decimal.ts'
import { priceDecimals } from './rate.ts'
import { isWithinStep } from './rate-source.ts'
import type { PauseCause, PauseExplanation } from './requisite-health.ts'
import { type Requisite, type RequisiteLimits, type RequisiteUsage } from './requisite.ts'
import type { Instant } from './time.ts'

const money = (minor: bigint, currency: string): string =>
  `${formatDecimal(minor, currencyDecimals(currency))} ${currency}`

/** A price without the zeros at its end. */
export const describePrice = (price: bigint): string =>
  formatDecimal(price, priceDecimals).replace(/(?:\.|(?<![.0]))0+$/, '')

/** Money that waits in the inbox. */
export const waitingMoneyFinding = (row: {
  readonly requisiteId: string
  readonly transferId: string
  readonly openedAt: Instant
  readonly amount: bigint
  readonly currency: string
  readonly senderMasked: string
  readonly numberMasked: string
}): AlertFinding => {
  const sender = row.senderMasked === '' ? '' : ` from ${row.senderMasked}`
  return {
    subject: `transfer:${row.requisiteId}/${row.transferId}`,
    summary: `${money(row.amount, row.currency)}${sender} to ${row.numberMasked} waits in the inbox: transfer ${row.transferId}.`,
    since: row.openedAt,
    command: 'payin transfers list --unmatched',
  }
}

/** A dispute whose deadline is near. */
export const dueDisputeFinding = (
  row: {
    readonly merchantId: string
    readonly id: string
    readonly merchant: string
    readonly orderId: string
    readonly amount: bigint
    readonly currency: string
    readonly openedAt: Instant
    readonly dueAt: Instant
  },
  now: Instant,
): AlertFinding => {
  const deadline = row.dueAt > now ? 'must be decided by' : 'should have been decided by'
  return {
    subject: `dispute:${row.id}`,
    summary: `The dispute about ${row.orderId} of ${row.merchant}, ${money(row.amount, row.currency)}, ${deadline} ${describeTime(row.dueAt)}.`,
    since: row.openedAt,
    command: `payin disputes show ${row.merchantId} ${row.id}`,
  }
}

/** An endpoint that fails, or was disabled because of that. Its address may contain a secret after the host. */
export const failingEndpointFinding = (row: {
  readonly id: string
  readonly merchant: string
  readonly url: string
  readonly disabledReason: string | null
  readonly since: Instant
}): AlertFinding => {
  const host = URL.parse(row.url)?.host ?? 'an address'
  const what = {
    failing: 'was disabled because it failed for days',
    gone: 'was disabled because it answered 410 (gone)',
  }[row.disabledReason ?? '']
  return {
    subject: `endpoint:${row.id}`,
    summary: `The endpoint of ${row.merchant} at ${host} ${what ?? 'does not take its notifications'}.`,
    since: row.since,
    command: 'payin endpoints troubled',
  }
}

/** A rate that is old, or no longer valid. */
export const staleRateFinding = (
  row: {
    readonly currency: string
    readonly price: bigint
    readonly source: string
    readonly createdAt: Instant
    readonly validUntil: Instant | null
  },
  now: Instant,
): AlertFinding => {
  const ended = row.validUntil !== null && row.validUntil <= now ? row.validUntil : null
  const rate = `The rate of ${row.currency}, ${describePrice(row.price)} from ${row.source}`
  return {
    subject: `rate:${row.currency}`,
    summary:
      ended === null
        ? `${rate}, was set at ${describeTime(row.createdAt)} and not since.`
        : `${rate}, has not been valid since ${describeTime(ended)}: no payment can be created.`,
    since: ended ?? row.createdAt,
    command: 'payin rates list',
  }
}

/** A source of rates whose price waits for an operator, or that fails. */
export const rateSourceFinding = (row: {
  readonly id: string
  readonly currency: string
  readonly name: string
  readonly heldPrice: bigint | null
  readonly maxStepPpm: number
  readonly lastPrice: bigint | null
  readonly lastError: string | null
  readonly since: Instant
}): AlertFinding => {
  const { heldPrice, lastPrice, maxStepPpm } = row
  const last = lastPrice === null ? '' : `, the last rate is ${describePrice(lastPrice)}`
  const isStep = lastPrice !== null && heldPrice !== null && isWithinStep(lastPrice, heldPrice, maxStepPpm)
  const why = isStep ? ', but it has moved too far within a day' : ''
  return {
    subject: `rate-source:${row.id}`,
    summary:
      row.heldPrice === null
        ? `The source ${row.name} of the rate of ${row.currency} fails: ${row.lastError}.`
        : `The source ${row.name} says ${describePrice(row.heldPrice)} ${row.currency}${last}${why}: the price waits for you.`,
    since: row.since,
    command: 'payin rates sources',
  }
}

type Share = { readonly percent: number; readonly used: string; readonly limit: string; readonly period: string }

const shareOf = (
  used: number | bigint,
  limit: number | bigint | null,
  period: string,
  describe: (value: number | bigint) => string,
): Share[] => {
  if (limit === null || BigInt(limit) === 0n) return []
  const percent = Number((BigInt(used) * 100n) / BigInt(limit))
  return [{ percent, used: describe(used), limit: describe(limit), period }]
}

const fullestShare = (limits: RequisiteLimits, usage: RequisiteUsage, currency: string): Share | undefined => {
  const sum = (value: number | bigint): string => money(BigInt(value), currency)
  const count = (value: number | bigint): string => `${value} payments`
  return [
    ...shareOf(usage.dayAmount, limits.dayAmount, 'today', sum),
    ...shareOf(usage.dayCount, limits.dayCount, 'today', count),
    ...shareOf(usage.monthAmount, limits.monthAmount, 'this month', sum),
    ...shareOf(usage.monthCount, limits.monthCount, 'this month', count),
  ].toSorted((a, b) => b.percent - a.percent)[0]
}

/** A requisite that has used at least `percent` of a limit of its day or month; `undefined` for one that has not. */
export const requisiteLimitFinding = (
  requisite: Pick<Requisite, 'id' | 'numberMasked' | 'currency' | 'limits'>,
  usage: RequisiteUsage,
  percent: number,
  now: Instant,
): AlertFinding | undefined => {
  const share = fullestShare(requisite.limits, usage, requisite.currency)
  if (!share || share.percent < percent) return undefined
  return {
    subject: `requisite:${requisite.id}`,
    summary: `The requisite ${requisite.numberMasked} has used ${share.percent} % of a limit: ${share.used} of ${share.limit} ${share.period}.`,
    since: now,
    command: 'payin requisites health',
  }
}

/** A requisite that was paused automatically. */
export const pausedRequisiteFinding = (row: {
  readonly requisiteId: string
  readonly numberMasked: string
  readonly currency: string
  readonly cause: PauseCause
  readonly explanation: PauseExplanation
  readonly pausedAt: Instant
}): AlertFinding => {
  const { run } = row.explanation
  const why = row.cause === 'expired' ? `${run} payments in a row expired` : `nobody knew ${run} transfers in a row`
  return {
    subject: `requisite:${row.requisiteId}`,
    summary: `The requisite ${row.numberMasked} (${row.currency}) is paused: ${why}.`,
    since: row.pausedAt,
    command: 'payin requisites pauses --open',
  }
}

/** A closing balance that the ledger does not have. */
export const differenceFinding = (
  row: {
    readonly requisiteId: string
    readonly day: string
    readonly currency: string
    readonly closing: bigint
    readonly ledger: bigint
    readonly source: string
    readonly recordedAt: Instant
  },
  numberMasked: string,
): AlertFinding => {
  const difference = row.closing - row.ledger
  const who = difference > 0n ? 'the bank has more than the ledger' : 'the ledger has more than the bank'
  return {
    subject: `requisite:${row.requisiteId}`,
    summary: `On ${numberMasked} ${who} by ${money(difference > 0n ? difference : -difference, row.currency)} at the end of ${row.day} (${row.source}).`,
    since: row.recordedAt,
    command: `payin ledger reconcile --requisite ${row.requisiteId}`,
  }
}

/** An invariant that is broken. */
export const brokenInvariantFinding = (
  check: {
    readonly name: string
    readonly meaning: string
    readonly broken: number
    readonly examples: readonly string[]
  },
  now: Instant,
): AlertFinding => ({
  subject: `invariant:${check.name}`,
  summary: `The invariant ${check.name} is broken in ${check.broken} rows, such as ${check.examples[0]}. ${check.meaning}`,
  since: now,
  command: 'payin doctor',
})

/** Most overdue payments of a merchant that are counted. */
export const mostCounted = 1000

/** Credits of a merchant that it has not acknowledged. */
export const overdueFinding = (row: {
  readonly merchantId: string
  readonly merchant: string
  readonly payments: number
  readonly since: Instant
  readonly orderId: string
  readonly amount: bigint
  readonly currency: string
}): AlertFinding => {
  const count = row.payments >= mostCounted ? `${mostCounted} payments or more` : `${row.payments} paid payments`
  return {
    subject: `merchant:${row.merchantId}`,
    summary: `${row.merchant} has not acknowledged ${count}, the oldest ${row.orderId} over ${money(row.amount, row.currency)}.`,
    since: row.since,
    command: `payin payments list --merchant ${row.merchantId} --unacknowledged`,
  }
}

/** A source that has sent nothing. */
export const silentSourceFinding = (
  row: { readonly id: string; readonly name: string; readonly since: Instant },
  threshold: number,
): AlertFinding => ({
  subject: `source:${row.id}`,
  summary: `The source ${row.name} has sent nothing for more than ${describeSpan(threshold)}.`,
  since: row.since,
  command: 'payin sources list',
})

/** An account without a statement. */
export const silentAccountFinding = (
  row: { readonly id: string; readonly numberMasked: string; readonly currency: string; readonly since: Instant },
  threshold: number,
): AlertFinding => ({
  subject: `requisite:${row.id}`,
  summary: `No statement of ${row.numberMasked} (${row.currency}) was imported for more than ${describeSpan(threshold)}.`,
  since: row.since,
  command: 'payin statements list',
})
