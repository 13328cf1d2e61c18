import type { Tx } from '../../context.ts'
import { lockAdding } from 'payin-database'
import { showAmount, usdt } from '../../../rules/values/currency.ts'
import { account, reversePostings } from '../../../rules/money/ledger.ts'
import { postOverpaymentDecision } from '../../../rules/transfers/overpayment.ts'
import { Refusal, refuseField } from '../../../rules/refusal.ts'
import { type AloneBound, secondPersonWindow } from '../../../rules/money/settlement.ts'
import { openWorth } from '../../merchants/rates/rate.ts'
import { refuseBeforeOpening } from '../../ledger/reconciliation/set-opening-balance.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { lockOwed } from '../../ledger/read.ts'
import { priceNow } from '../../payments/credit-payments.ts'
import { lockPayment } from '../../payments/lock-payment.ts'
import { isOfOneMode, requisiteCurrencies } from '../../requisites/read.ts'
import { takeRefundBack, writeStep } from '../refunds/follow-money.ts'
import { lockApprovedRefunds } from '../refunds/store.ts'
import { postRefundOwed } from '../../../rules/transfers/refund.ts'
import { bookReported } from '../outgoing/book-announced.ts'
import { findDecision, insertDecision, listOwnWriteOffs, reverseDecision } from './store.ts'

/** Refuses `second_person_required` beyond what one person may write off in 24 hours: more needs an adjustment. */
const refuseAlone = async (tx: Tx, decidedBy: string, { above, hasTwo }: AloneBound): Promise<void> => {
  await lockAdding(tx, `write-offs of ${decidedBy}`)
  const rows = await tx.query(listOwnWriteOffs, { decidedBy, ...secondPersonWindow(tx.now) })
  const worth = openWorth(tx)
  const amounts: (bigint | undefined)[] = []
  for (const row of rows) amounts.push(await worth(row))
  const sum = amounts.reduce<bigint>((all, amount) => all + (amount ?? 0n), 0n)
  const isUnknown = amounts.includes(undefined)
  if (sum <= above && !(isUnknown && (hasTwo || above === 0n))) return
  const all = isUnknown ? 'money without a rate' : showAmount(sum, usdt)
  throw new Refusal(
    'second_person_required',
    `With this, you have written off ${all} within 24 hours: draft an adjustment from overpayment:{payment} to written-off, which another operator posts.`,
  )
}

/**
 * As `recordDecision`; a refund that its bank has already reported is paired with that outgoing transfer. Refuses
 * `second_person_required` for write-offs beyond `alone`.
 */
export const decideOverpayment = async (tx: Tx, wanted: NewDecision, alone: AloneBound) => {
  if (/^(?:outgoing|refund):/.test(wanted.reference))
    throw refuseField('reference', 'begins like those of decisions that the service records.')
  const { isNew, ...decided } = await recordDecision(tx, wanted)
  if (isNew && wanted.decision === 'write-off') await refuseAlone(tx, wanted.decidedBy, alone)
  if (isNew) await announceRefund(tx, decided, alone.above)
  return decided
}

/**
 * Pairs a refund that was just decided, if the decision is one, with outgoing money that its bank has already reported.
 * A name in the bank's text proves it up to `above` millionths of USDT.
 */
export const announceRefund = async (
  tx: Tx,
  decided: Omit<NewDecision, 'amount'> & { readonly id: string; readonly amount: bigint },
  above: bigint,
): Promise<void> => {
  const { id, merchantId, paymentId, requisiteId, amount, bookedAt, decidedBy } = decided
  if (requisiteId === null) return
  const announced = { purpose: 'refund', id, requisiteId, amount, bookedAt, merchantId, paymentId } as const
  await bookReported(tx, { ...announced, channel: null, decidedBy }, above)
}

/** An operator's decision about money that a payment could not take; `amount` in minor units, `null` for all of it. */
export type NewDecision = Omit<
  ReturnType<typeof findDecision.decode>,
  'id' | 'currency' | 'amount' | 'laterPrice' | 'decidedAt'
> & { readonly amount: bigint | null }

const checkRefund = async (
  tx: Tx,
  { decision, requisiteId, bookedAt, merchantId }: NewDecision,
  currency: string,
): Promise<void> => {
  if ((decision === 'refund') !== (requisiteId !== null)) {
    throw refuseField('requisiteId', 'is given for a refund and for nothing else.')
  }
  if (requisiteId === null) return
  await refuseBeforeOpening(tx, [{ requisiteId, bookedAt, field: 'bookedAt' }])
  if ((await requisiteCurrencies(tx, [requisiteId])).get(requisiteId) !== currency) {
    throw refuseField('requisiteId', `is not a known requisite in ${currency}.`)
  }
  if (!(await isOfOneMode(tx, requisiteId, merchantId)))
    throw refuseField('requisiteId', 'serves the other mode: its money is not that of the payment.')
}

const nameTaken = (reference: string): Refusal =>
  new Refusal('already_exists', `The reference ${reference} belongs to another decision of this merchant.`)

const isSame = (existing: NewDecision, wanted: NewDecision): boolean =>
  existing.paymentId === wanted.paymentId &&
  existing.decision === wanted.decision &&
  (wanted.amount ?? existing.amount) === existing.amount

/**
 * How much of an overpayment a decision may move. Of what the bank took back when nobody had it, nothing goes to the
 * merchant: what is owed again since covers the loss first.
 */
const lockFree = async (
  tx: Tx,
  { merchantId, paymentId, decision }: NewDecision,
  currency: string,
): Promise<bigint> => {
  const owed = await lockOwed(tx, merchantId, account.overpayment(paymentId), currency)
  const lost = decision === 'assign' ? await lockOwed(tx, merchantId, account.reversed(paymentId), currency) : 0n
  return owed + (lost < 0n ? lost : 0n)
}

/**
 * Outgoing money of this amount may be an approved refund of the payment, if no overpayment is: its money becomes owed to
 * the payer, from where the decision sends it.
 */
const oweApproved = async (tx: Tx, { merchantId, paymentId, reference }: NewDecision, amount: bigint, owed: bigint) => {
  if (owed >= amount || !reference.startsWith('outgoing:')) return undefined
  const [refund] = await tx.query(lockApprovedRefunds, { merchantId, paymentId, amount })
  if (refund) await postEntries(tx, [[postRefundOwed(refund)]])
  return refund
}

/**
 * Moves an overpayment, or part of it, to the merchant, its payer or the operator. Repeating a reference changes
 * nothing. Outgoing money also sends an approved refund of its amount. Refuses `payment_not_found`, `already_exists` if the reference belongs to another decision,
 * `balance_insufficient` if less is owed, and `validation_failed`.
 */
export const recordDecision = async (tx: Tx, wanted: NewDecision) => {
  const { merchantId, paymentId, reference } = wanted
  const payment = await lockPayment(tx, merchantId, paymentId)
  if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
  const [existing] = await tx.query(findDecision, { merchantId, reference })
  if (existing && !isSame(existing, wanted)) throw nameTaken(reference)
  if (existing) return { ...existing, isNew: false }
  const { currency } = payment
  await checkRefund(tx, wanted, currency)
  const free = await lockFree(tx, wanted, currency)
  const amount = wanted.amount ?? free
  const refund = await oweApproved(tx, wanted, amount, free)
  const owed = refund ? amount : free
  if (amount > owed || amount <= 0n) {
    throw new Refusal('balance_insufficient', 'The payer of this payment is owed less, or the bank took it back.')
  }
  const { laterPrice } = await priceNow(tx, payment, wanted.decision === 'assign' ? amount : 0n, 0n)
  const decided = { ...wanted, id: tx.newId(), currency, amount, laterPrice, decidedAt: tx.now }
  const inserted = await tx.query(insertDecision, decided)
  // Another payment's decision used the reference at the same time.
  if (inserted.length === 0) throw nameTaken(reference)
  await postEntries(tx, [postOverpaymentDecision(payment, decided)])
  if (refund) await writeStep(tx, refund, 'send', wanted.decidedBy, { decisionId: decided.id })
  return { ...decided, isNew: true }
}

/**
 * Owes a refund again, because the money was something else or, with `failure`, did not reach its payer; see
 * `takeRefundBack`. Returns the requisite that had paid it.
 */
export const reverseRefund = async (
  tx: Tx,
  merchantId: string,
  id: string,
  { actor, failure }: { readonly actor: string; readonly failure: string | null },
): Promise<string> => {
  const [decision] = await tx.query(reverseDecision, { merchantId, id, now: tx.now })
  if (!decision?.requisiteId) throw new Error(`decision ${id} cannot be taken back`)
  const payment = await lockPayment(tx, merchantId, decision.paymentId)
  if (!payment) throw new Error(`payment ${decision.paymentId} is unknown`)
  const postings = reversePostings(postOverpaymentDecision(payment, decision))
  await postEntries(tx, [postings.map((posting) => ({ ...posting, kind: 'unbook' }))])
  await takeRefundBack(tx, id, actor, failure)
  return decision.requisiteId
}
