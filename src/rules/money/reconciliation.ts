import { day as dayMs, type Instant, minute } from '../time.ts'
import { account, type Posting, posting } from './ledger.ts'

/** Kinds of bank movements by which a day of an account is summed up. */
export const movementKinds = ['transfers', 'outgoing', 'given-back', 'reversals', 'refunds', 'adjustments'] as const
export type MovementKind = (typeof movementKinds)[number]

/** What a bank and the ledger have at the end of a day, in minor units. */
export type Reconciled = {
  readonly closing: bigint
  readonly ledger: bigint
  /** Refunds and announced reversals of the last seven days that have left the ledger, and that the bank has not reported. */
  readonly inTransit: bigint
  /** Older ones, since the bank has sent statements. */
  readonly overdue: bigint
  /** Null for a balance that an operator has entered. */
  readonly statementId: string | null
}

/**
 * How much more the bank has than the ledger, besides what is in transit. A statement has all rows of its days, so the
 * bank still has what is in transit; whoever enters a balance may know more.
 */
export const unexplainedDifference = ({ closing, ledger, inTransit, statementId }: Reconciled): bigint => {
  const difference = closing - ledger
  if (statementId !== null) return difference - inTransit
  return difference === inTransit ? 0n : difference
}

/** Whether nothing is left to explain: no difference besides what is in transit, and nothing that never left. */
export const isEven = (row: Reconciled): boolean =>
  unexplainedDifference(row) === 0n && (row.statementId === null || row.overdue === 0n)

/** When a day ends in the bank's time zone; `undefined` if there is no such day, or it has not begun at `now`. */
export const endOfDay = (day: string, utcOffsetMinutes: number | null, now: Instant): Instant | undefined => {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const startsAt = midnight - (utcOffsetMinutes ?? 0) * minute
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return isDay && startsAt <= now ? startsAt + dayMs : undefined
}

/** Changes what an account held before its first recorded transfer, in minor units. */
export const postOpening = (
  { requisiteId, currency }: { readonly requisiteId: string; readonly currency: string },
  change: bigint,
): Posting => {
  const [debit, credit] =
    change > 0n ? [account.bank(requisiteId), account.opening] : [account.opening, account.bank(requisiteId)]
  const amount = change < 0n ? -change : change
  return posting('open', [debit, credit], { currency, amount }, { documentId: requisiteId, requisiteId })
}
