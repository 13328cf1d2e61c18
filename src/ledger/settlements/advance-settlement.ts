import type { Tx } from '../../context.ts'
import { account } from '../../domain/ledger.ts'
import { Refusal } from '../../domain/refusal.ts'
import { needsSecondPerson, type Settlement, type SettlementStep, takeSettlementStep } from '../../domain/settlement.ts'
import { lockOwed } from '../read.ts'
import { postEntries } from '../post-entries.ts'
import { enqueueSettlement } from '../../notifications/enqueue-notifications.ts'
import { findSettlementByPayout, insertSettlementEvent, lockSettlement, updateSettlement } from './store.ts'
import { sumOwnLately } from './sum-own-lately.ts'

/**
 * The settlement as its author may approve it: what the author approved alone for the merchant lately counts, too, whenever
 * it was drafted.
 */
const judge = async (tx: Tx, settlement: Settlement, step: SettlementStep, above: bigint): Promise<Settlement> => {
  const { merchantId, amount, currency, draftedBy, secondPerson, status } = settlement
  if (step.step !== 'approve' || step.actor !== draftedBy || secondPerson || status !== 'draft') return settlement
  // Excludes another approval for the merchant, which would not be in the sum.
  await lockOwed(tx, merchantId, account.held(merchantId), currency)
  const lately = await sumOwnLately(tx, settlement, ['approved'])
  return { ...settlement, secondPerson: needsSecondPerson(amount, { above, lately }) }
}

/**
 * Approves, pays or fails a settlement: status, event, posting and, once paid, the merchant's notification. The same step
 * again changes nothing. Refuses `resource_not_found`, `invalid_state`, `second_person_required`, and `already_exists`
 * when another settlement of the merchant was paid under the same external reference.
 */
export const advanceSettlement = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  step: SettlementStep,
  secondPersonAbove: bigint,
): Promise<Settlement> => {
  const [locked] = await tx.query(lockSettlement, key)
  if (!locked) throw new Refusal('resource_not_found', 'There is no such settlement.')
  const before = await judge(tx, locked, step, secondPersonAbove)
  const taken = takeSettlementStep(before, step, tx.now)
  if (taken instanceof Refusal) throw taken
  const { settlement, posting } = taken
  if (settlement === before) return settlement
  const { merchantId, id: settlementId, sequence, status, externalReference } = settlement
  if (externalReference !== null) {
    // Excludes another payout to the merchant, so that no two of them get the same reference at once.
    await lockOwed(tx, merchantId, account.held(merchantId), settlement.currency)
    const [other] = await tx.query(findSettlementByPayout, { merchantId, externalReference })
    if (other) throw new Refusal('already_exists', `${externalReference} is the payout of another settlement.`)
  }
  await tx.query(updateSettlement, settlement)
  const event = { merchantId, settlementId, sequence, status, actor: step.actor, at: settlement.changedAt }
  await tx.query(insertSettlementEvent, event)
  if (posting) await postEntries(tx, [[posting]])
  if (status === 'paid') await enqueueSettlement(tx, settlement)
  return settlement
}
