import type { Tx } from '../../context.ts'
import { quoteCurrency } from '../../domain/currency.ts'
import { account } from '../../domain/ledger.ts'
import { Refusal } from '../../domain/refusal.ts'
import { draftSettlement, postSettlement, type Settlement } from '../../domain/settlement.ts'
import { lockOwed } from '../read.ts'
import { postEntries } from '../post-entries.ts'
import { findSettlementByReference, insertSettlement, insertSettlementEvent } from './store.ts'
import { sumOwnLately } from './sum-own-lately.ts'

/** What an operator wants to pay out; `amount` in millionths of the quote currency, `null` for all that is available. */
export type NewSettlement = {
  readonly merchantId: string
  readonly reference: string
  readonly amount: bigint | null
  readonly destination: string
  readonly draftedBy: string
}

/**
 * Drafts a settlement and holds its amount, so that no other settlement can use it. The same reference again answers the same
 * settlement (`created` is false). Above `secondPersonAbove`, alone or with what its author drafted and approved for this
 * merchant within 24 hours, another operator must approve it. Refuses `already_exists`
 * when the reference belongs to another one, `balance_insufficient`.
 */
export const createSettlement = async (
  tx: Tx,
  wanted: NewSettlement,
  secondPersonAbove: bigint,
): Promise<{ readonly settlement: Settlement; readonly created: boolean }> => {
  const { merchantId, reference, destination, draftedBy } = wanted
  const available = await lockOwed(tx, merchantId, account.available(merchantId), quoteCurrency)
  const [existing] = await tx.query(findSettlementByReference, { merchantId, reference })
  if (existing) {
    const same = existing.destination === destination && (wanted.amount ?? existing.amount) === existing.amount
    if (same) return { settlement: existing, created: false }
    throw new Refusal('already_exists', `The reference ${reference} belongs to another settlement of this merchant.`)
  }
  const amount = wanted.amount ?? available
  if (amount > available || amount <= 0n) {
    throw new Refusal('balance_insufficient', "The merchant's available balance does not cover this settlement.")
  }
  const draft = { merchantId, id: tx.newId(), reference, amount, destination, draftedBy }
  const lately = await sumOwnLately(tx, draft, ['draft', 'approved'])
  const settlement = draftSettlement(draft, { above: secondPersonAbove, lately }, tx.now)
  await tx.query(insertSettlement, settlement)
  const { id: settlementId, sequence, status } = settlement
  await tx.query(insertSettlementEvent, { merchantId, settlementId, sequence, status, actor: draftedBy, at: tx.now })
  await postEntries(tx, [[postSettlement(settlement, 'hold')]])
  return { settlement, created: true }
}
