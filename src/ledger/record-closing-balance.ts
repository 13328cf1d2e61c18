import type { Tx } from '../context.ts'
import { Refusal, refuseField } from '../domain/refusal.ts'
import { day as dayMs, minute } from '../domain/time.ts'
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

/**
 * Notes a closing balance, in place of what was noted for the same day. Refuses `resource_not_found` and, for another
 * currency or a day that has not begun, `validation_failed`.
 */
export const recordClosingBalance = async (tx: Tx, closing: NewClosingBalance): Promise<void> => {
  const [bank] = await tx.query(findBankDay, { requisiteId: closing.requisiteId })
  if (!bank) throw new Refusal('resource_not_found', 'There is no such requisite.')
  if (bank.currency !== closing.currency) {
    throw refuseField('validation_failed', 'currency', `must be ${bank.currency}, the requisite's.`)
  }
  const midnight = Date.parse(`${closing.day}T00:00:00Z`)
  const startsAt = midnight - (bank.utcOffsetMinutes ?? 0) * minute
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(closing.day)
  if (!isDay || startsAt > tx.now) throw refuseField('validation_failed', 'day', 'is no day that has begun.')
  await tx.query(upsertClosingBalance, { ...closing, endsAt: startsAt + dayMs, recordedAt: tx.now })
}
