import type { Tx } from '../context.ts'
import { Refusal, refuseField } from '../domain/refusal.ts'
import { day as dayMs, type Instant, minute } from '../domain/time.ts'
import { findBankDay, upsertClosingBalance } from './store.ts'

/** What a bank's statement says that a requisite held at the end of a day; `balance` in minor units. */
export type NewClosingBalance = {
  readonly requisiteId: string
  /** `2026-01-31`, a day where the bank is. */
  readonly day: string
  readonly currency: string
  readonly balance: bigint
  /** Where it is from, such as the name of a statement. */
  readonly source: string
}

/** By whom a closing balance was noted that no statement says. */
const byHand = '00000000-0000-0000-0000-000000000000'

/** When a day ends where the bank is; `undefined` when there is no such day, or it has not begun at `now`. */
export const endOfDay = (day: string, utcOffsetMinutes: number | null, now: Instant): Instant | undefined => {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const startsAt = midnight - (utcOffsetMinutes ?? 0) * minute
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return isDay && startsAt <= now ? startsAt + dayMs : undefined
}

/**
 * Notes a closing balance, in place of what was noted by hand for the same day. Refuses `resource_not_found` and, for
 * another currency or a day that has not begun, `validation_failed`.
 */
export const recordClosingBalance = async (tx: Tx, closing: NewClosingBalance): Promise<void> => {
  const [bank] = await tx.query(findBankDay, { requisiteId: closing.requisiteId })
  if (!bank) throw new Refusal('resource_not_found', 'There is no such requisite.')
  if (bank.currency !== closing.currency) {
    throw refuseField('validation_failed', 'currency', `must be ${bank.currency}, the requisite's.`)
  }
  const endsAt = endOfDay(closing.day, bank.utcOffsetMinutes, tx.now)
  if (endsAt === undefined) throw refuseField('validation_failed', 'day', 'is no day that has begun.')
  await tx.query(upsertClosingBalance, { ...closing, statementId: byHand, endsAt, recordedAt: tx.now })
}
