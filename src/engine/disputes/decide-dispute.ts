import type { Context, Tx } from '../context.ts'
import { tryOut } from '../ledger/post-entries.ts'
import { coverOf, type Dispute, isSamePlan, isSecondOperator, type TransferPlan } from '../../rules/payments/dispute.ts'
import { account, type Posting, postSurplus } from '../../rules/money/ledger.ts'
import { creditedStatuses, type Payment } from '../../rules/payments/payment.ts'
import { isQuotable } from '../../rules/money/rate.ts'
import { quoteCode } from '../../rules/values/currency.ts'
import { invalidState, Refusal, refuseField } from '../../rules/refusal.ts'
import { lockOwed } from '../ledger/read.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { priceNow } from '../payments/credit-payments.ts'
import { assignShares, flagSender, type PaymentShare, refuseUnrelated } from '../transfers/assign-transfer.ts'
import {
  type Assigner,
  type Books,
  type LockedTransfer,
  lockTransfer,
  openBooks,
  waitingAmount,
} from '../transfers/transfer-parts.ts'
import { setSurplusAside, unassignAllFromPayment, unassignFromPayment } from '../transfers/unassign-transfer.ts'
import { refuseReversed, writeDispute } from './disputes.ts'
import { getTakenBack, sumLate } from '../transfers/read.ts'
import { limitReturnedFees } from '../transfers/refunds/follow-money.ts'
import { refuseBelowRefunds } from '../transfers/refunds/refunds.ts'
import { reverseDisputed } from '../transfers/reversals/reverse-credit.ts'
import { type DisputeKey, listReceiptsOf, readDispute, readHistory } from './read.ts'
import { listEvidence } from './store.ts'

/**
 * An operator's decision. Without an `amount` it credits all money that the payment then has, or else the claimed
 * amount, at most that of the payment.
 */
export type DisputeDecision = { readonly note: string | null } & (
  | { readonly accept: true; readonly amount: bigint | null; readonly plan: TransferPlan }
  | { readonly accept: false }
)

/** The result of a step: the dispute, its payment, and what was written to the ledger. */
export type DecidedDispute = {
  readonly dispute: Dispute
  readonly payment: Payment
  readonly postings: readonly Posting[]
}

type Decider = Omit<Assigner, 'note'>

type Locked = { readonly dispute: Dispute; readonly payment: Payment; readonly actor: string; readonly books: Books }

/** Locks the payment of a dispute, and so the dispute. Refuses `resource_not_found`. */
export const lockDispute = async (tx: Tx, { merchantId, id }: DisputeKey, actor: string): Promise<Locked> => {
  const payment = await lockPayment(tx, merchantId, (await readDispute(tx, merchantId, id)).paymentId)
  if (!payment) throw new Error(`dispute ${id}: its payment is missing`)
  return { payment, dispute: await readDispute(tx, merchantId, id), actor, books: openBooks(tx, actor) }
}

const refuseState = ({ state }: Dispute): Refusal => invalidState(`The dispute is ${state}.`)

/** Clocks differ: what is decided may have been opened, or evidence received, by one that is a little ahead. */
const decided = async (tx: Tx, dispute: Dispute, actor: string, note: string | null) => {
  const { merchantId, id: disputeId, openedAt } = dispute
  const evidence = await tx.query(listEvidence, { merchantId, disputeId })
  const decidedAt = Math.max(tx.now, openedAt, ...evidence.map(({ receivedAt }) => receivedAt))
  return { ...dispute, remindAt: null, decidedBy: actor, decidedAt, decisionNote: note } as const
}

/** Writes what a step has changed. If the payment is credited again, it loses what banks took back meanwhile. */
const finish = async (
  tx: Tx,
  { books, payment, actor }: Locked,
  dispute: Dispute,
  kind: Parameters<typeof writeDispute>[2]['kind'],
): Promise<DecidedDispute> => {
  await books.changes.write()
  await writeDispute(tx, dispute, { kind, actor, note: dispute.decisionNote })
  const after = books.changes.current(payment)
  const isCredited = creditedStatuses.has(after.status)
  const reversed = isCredited ? await reverseDisputed(tx, after) : []
  if (isCredited) await limitReturnedFees(tx, after)
  return { dispute, payment: after, postings: [...books.changes.postings(), ...reversed] }
}

/** Refuses to owe a payer the rest of money that the bank has reversed meanwhile. */
const refuseGone = async (tx: Tx, payment: Payment): Promise<void> => {
  const { merchantId, id, currency } = payment
  const missing = await lockOwed(tx, merchantId, account.reversed(id), currency)
  if (missing === 0n && (await getTakenBack(tx, payment)) === 0n) return
  throw invalidState(
    'The bank has since taken back money of this payment: reject the dispute and correct the balance with an adjustment.',
  )
}

/** The locked rate may make a large amount, such as a mistyped one, worth more than the ledger can hold. */
const refuseUnquotable = (payment: Payment, amount: bigint): void => {
  if (isQuotable(amount, payment, payment.ratePrice)) return
  const code = quoteCode(payment.quoteCurrency)
  throw refuseField('amount', `is more than can be quoted in ${code}.`, 'amount_above_max')
}

/** Refuses to credit more than the payment asked for and the money that came, if there is no file that shows why. */
const refuseUnproven = async (tx: Tx, { dispute, payment }: Locked, money: bigint, amount: bigint): Promise<void> => {
  if (amount <= payment.amount || amount <= money) return
  const { evidence } = await readHistory(tx, dispute)
  if (evidence.length + (await listReceiptsOf(tx, [dispute])).length > 0) return
  throw invalidState('More than the payment asked for, without money that covers it, needs evidence: add a file first.')
}

const accept = async (
  tx: Tx,
  locked: Locked,
  wanted: bigint,
  plan: TransferPlan,
  decider: Assigner,
): Promise<DecidedDispute> => {
  const { dispute, payment, actor, books } = locked
  const { note } = decider
  for (const key of plan.unassign) await unassignFromPayment(tx, books, payment, key, decider)
  const assigned: { readonly transfer: LockedTransfer; readonly share: PaymentShare }[] = []
  for (const key of plan.assign) {
    const transfer = await lockTransfer(tx, key)
    await refuseUnrelated(tx, transfer, payment)
    const share = { payment, amount: waitingAmount(transfer) }
    await assignShares(tx, books, transfer, [share], decider)
    assigned.push({ transfer, share })
  }
  const { received } = books.changes.current(payment)
  if (coverOf(dispute, received, wanted, plan) === 'needs-second') {
    throw invalidState('A second operator must confirm an amount that no money covers.')
  }
  refuseUnquotable(payment, wanted)
  await refuseBelowRefunds(tx, payment, wanted)
  if (received > wanted) {
    await refuseGone(tx, payment)
    await setSurplusAside(tx, payment, received - wanted, decider)
    books.changes.post([postSurplus(payment.merchantId, payment.id, payment.currency, received - wanted)])
    books.changes.amend(payment, { received: wanted })
  }
  const price = await priceNow(tx, payment, wanted, wanted - (await sumLate(tx, payment)))
  const change = { to: 'disput-paid', reason: 'accepted', trigger: 'dispute-accepted', finalAmount: wanted } as const
  books.changes.change(payment, { ...change, ...price })
  const after: Dispute = { ...(await decided(tx, dispute, actor, note)), state: 'accepted', finalAmount: wanted }
  const result = await finish(tx, locked, after, 'accepted')
  for (const { transfer, share } of assigned) await flagSender(tx, transfer, [share])
  return result
}

/** Closes a dispute whose claim is rejected; money that waited with the payment returns to the inbox. */
const closeDispute = async (
  tx: Tx,
  locked: Locked,
  state: 'rejected' | 'withdrawn',
  note: string | null,
): Promise<DecidedDispute> => {
  const { dispute, payment, actor, books } = locked
  if (dispute.decidedAt !== null) throw refuseState(dispute)
  if (dispute.state === 'open') {
    const { fromStatus: to, fromFinalAmount } = dispute
    if (!creditedStatuses.has(to)) await unassignAllFromPayment(tx, books, payment, { actor, note })
    const final = fromFinalAmount === null ? {} : { finalAmount: fromFinalAmount }
    books.changes.change(payment, { to, reason: state, trigger: 'dispute-rejected', ...final })
  }
  return finish(tx, locked, { ...(await decided(tx, dispute, actor, note)), state }, state)
}

/** The money that a payment would have after a plan, calculated without moving any. */
const moneyAfter = async (tx: Tx, payment: Payment, plan: TransferPlan): Promise<bigint> => {
  let money = payment.received
  for (const key of plan.assign) money += waitingAmount(await lockTransfer(tx, key))
  for (const key of plan.unassign) {
    const { parts } = await lockTransfer(tx, key)
    for (const part of parts) if (part.kind === 'payment' && part.paymentId === payment.id) money -= part.amount
  }
  return money
}

/**
 * Decides an open dispute, or rejects a correction that was only proposed. An amount that neither money covers nor two
 * operators have agreed on becomes a proposal: the dispute stays open until a second operator confirms it. Refuses
 * `resource_not_found`, `invalid_state`, `amount_below_min`, `amount_above_max`, and `second_person_required` as
 * `assignShares` does.
 */
export const decideDispute = async (
  tx: Tx,
  key: DisputeKey,
  decision: DisputeDecision,
  decider: Decider,
): Promise<DecidedDispute> => {
  const { actor } = decider
  const locked = await lockDispute(tx, key, actor)
  const { dispute, payment } = locked
  if (!decision.accept) return closeDispute(tx, locked, 'rejected', decision.note)
  if (dispute.state !== 'open') throw refuseState(dispute)
  const { plan, note } = decision
  const money = await moneyAfter(tx, payment, plan)
  const claimed = dispute.amount < payment.amount ? dispute.amount : payment.amount
  const agreed = dispute.correction?.confirmedBy ? dispute.correction.amount : undefined
  const amount = decision.amount ?? agreed ?? (money > 0n ? money : claimed)
  refuseUnquotable(payment, amount)
  await refuseUnproven(tx, locked, money, amount)
  if (coverOf(dispute, money, amount, plan) === 'covered') return accept(tx, locked, amount, plan, { ...decider, note })
  const correction = { amount, by: actor, at: tx.now, plan, money, confirmedBy: null, confirmedAt: null }
  const proposed = { ...dispute, correction, decisionNote: note }
  return finish(tx, locked, proposed, 'correction-proposed')
}

/** What a second operator has seen of a proposal. */
export type SeenProposal = { readonly amount: bigint; readonly plan: TransferPlan }

/**
 * Confirms another operator's proposal: the correction of a credited payment, which takes it to `disput`, or an amount
 * that no money covers, which is credited. Refuses `resource_not_found`, `status_changed` if another amount is proposed
 * by now, other transfers would be moved, or the payment would have other money, and `invalid_state`.
 */
export const confirmCorrection = async (
  tx: Tx,
  key: DisputeKey,
  seen: SeenProposal,
  decider: Decider,
): Promise<DecidedDispute> => {
  const { actor } = decider
  const locked = await lockDispute(tx, key, actor)
  const { dispute, payment, books } = locked
  const { correction, state } = dispute
  if (dispute.decidedAt !== null) throw refuseState(dispute)
  if (!correction || correction.confirmedBy !== null) throw invalidState('There is nothing to confirm.')
  if (correction.amount !== seen.amount) throw new Refusal('status_changed', 'Another amount has been proposed since.')
  if (!isSamePlan(correction.plan, seen.plan))
    throw new Refusal('status_changed', 'The proposal moves other transfers: read it again, and confirm with them.')
  if (!isSecondOperator(correction.by, actor)) {
    throw invalidState('An operator other than the one who proposed it must confirm it.')
  }
  if ((await moneyAfter(tx, payment, correction.plan)) !== correction.money)
    throw new Refusal('status_changed', 'The payment would have other money than when this was proposed: decide again.')
  const confirmedAt = Math.max(tx.now, correction.at)
  const confirmed = { ...dispute, correction: { ...correction, confirmedBy: actor, confirmedAt } }
  if (state === 'proposed') {
    await refuseReversed(tx, payment)
    books.changes.change(payment, { to: 'disput', reason: 'correction', trigger: 'correction-opened' })
    return finish(tx, locked, { ...confirmed, state: 'open' }, 'confirmed')
  }
  await writeDispute(tx, confirmed, { kind: 'confirmed', actor, note: null })
  const { amount, plan } = correction
  return accept(tx, { ...locked, dispute: confirmed }, amount, plan, { ...decider, note: dispute.decisionNote })
}

/**
 * Previews a decision: the dispute, the payment and the ledger entries as they would be. A proposal is shown as if a
 * second operator had confirmed it. Refuses as `decideDispute` does.
 */
export const previewDecision = async (
  context: Context,
  key: DisputeKey,
  decision: DisputeDecision,
  decider: Decider,
): Promise<DecidedDispute & { readonly needsSecondOperator: boolean }> => {
  let needsSecondOperator = false
  const result = await tryOut(context, async (tx) => {
    const first = await decideDispute(tx, key, decision, decider)
    needsSecondOperator = first.dispute.decidedAt === null
    const { correction } = first.dispute
    const second = { actor: `${decider.actor}+second`, refuseOnePerson: async () => {}, loneReport: async () => null }
    return needsSecondOperator && correction ? confirmCorrection(tx, key, correction, second) : first
  })
  return { ...result, needsSecondOperator }
}

/** Previews a confirmation. Refuses as `confirmCorrection` does. */
export const previewConfirmation = (
  context: Context,
  key: DisputeKey,
  seen: SeenProposal,
  decider: Decider,
): Promise<DecidedDispute> => tryOut(context, (tx) => confirmCorrection(tx, key, seen, decider))

/**
 * Withdraws a merchant's own dispute; repeating it changes nothing. Refuses `invalid_state` for a dispute of another
 * claimant or one that was decided differently.
 */
export const withdrawDispute = async (tx: Tx, key: DisputeKey): Promise<Dispute> => {
  const locked = await lockDispute(tx, key, 'merchant')
  const { dispute } = locked
  if (dispute.claimant !== 'merchant') {
    throw invalidState('Only a dispute that the merchant has opened can be withdrawn.')
  }
  if (dispute.state === 'withdrawn') return dispute
  return (await closeDispute(tx, locked, 'withdrawn', null)).dispute
}
