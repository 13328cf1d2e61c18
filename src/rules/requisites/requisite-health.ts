import type { Requisite } from './requisite.ts'
import type { Instant } from '../time.ts'

/** Payments that got a requisite in a span of time; `expired` are those whose payers had seen it. */
export type PaymentCounts = { readonly payments: number; readonly paid: number; readonly expired: number }

/** The last runs of failures of a requisite, on which its automatic pause depends. */
export type RequisiteRuns = {
  readonly requisiteId: string
  /** When a payment on it was last credited, within the week. */
  readonly lastPaidAt: Instant | null
  /** Payments of the week that expired since the last credit or resumption, and when the first of them did. */
  readonly expiredRun: number
  readonly expiredSince: Instant | null
  /** Senders of the last transfers in a row without a known payment, since the resumption. */
  readonly unmatchedRun: number
}

/** The runs with the most of the expired payments that one merchant has. */
export type MerchantRuns = RequisiteRuns & { readonly expiredOfOne: number }

/**
 * Why a requisite was paused automatically: a run of expired payments, or of transfers without a payment, or the silence
 * of the phone that reports its money.
 */
export const pauseCauses = ['expired', 'unmatched', 'silent'] as const
export type PauseCause = (typeof pauseCauses)[number]

/** The length of the run that paused a requisite, or its minutes of silence, and the limit that it reached. */
export type PauseExplanation = { readonly run: number; readonly limit: number; readonly since: string | null }

/** Share of finished payments that were paid, from 0 to 1; `null` if none is finished. */
export const successRate = ({ paid, expired }: PaymentCounts): number | null =>
  paid + expired === 0 ? null : paid / (paid + expired)

/** Requisites of one group can replace each other: the same owner, mode, method, currency and scope. */
export const requisiteGroup = ({
  merchantId,
  mode,
  method,
  currency,
  transferScope,
}: Pick<Requisite, 'merchantId' | 'mode' | 'method' | 'currency' | 'transferScope'>): string =>
  `${merchantId ?? ''} ${mode} ${method} ${currency} ${transferScope ?? ''}`

/**
 * Why a requisite should be paused, given the other active ones of its group; `undefined` if it should not. Causes are
 * a run of `limit` transfers without a known payment, or of `limit` expired payments while another requisite of the
 * group was paid: if none was, the fault is elsewhere. Of one that merchants share, one merchant's count for at most half
 * of the limit. Never the last active one of its group, and never without a limit.
 */
export const findPauseCause = (
  runs: MerchantRuns,
  others: readonly RequisiteRuns[],
  limit: number | null,
  isShared: boolean,
): PauseCause | undefined => {
  if (limit === null || others.length === 0) return undefined
  if (runs.unmatchedRun >= limit) return 'unmatched'
  const since = runs.expiredSince
  const tooMany = isShared ? Math.max(0, runs.expiredOfOne - Math.floor(limit / 2)) : 0
  if (runs.expiredRun - tooMany < limit || since === null) return undefined
  return others.some((other) => other.lastPaidAt !== null && other.lastPaidAt > since) ? 'expired' : undefined
}
