import { listSorts } from '../list-page.ts'
import {
  creditedStatuses,
  dueAt,
  lateUntil,
  openStatuses,
  type Payment,
  type PaymentStatus,
  unpaidStatuses,
} from './payment.ts'
import { invalidState, Refusal } from '../refusal.ts'
import { day, type Instant, minute } from '../time.ts'

/**
 * States of a dispute. `proposed`: a correction of a credited payment that a second operator has to confirm; `open`:
 * the payment is `disput` and waits for a decision; the others are decisions.
 */
export const disputeStates = ['proposed', 'open', 'accepted', 'rejected', 'withdrawn'] as const
export type DisputeState = (typeof disputeStates)[number]

/** Who says that money is missing or wrong; `service` if the money itself showed it. */
export const claimants = ['merchant', 'payer', 'operator', 'service'] as const
export type Claimant = (typeof claimants)[number]

/** What a claimant says is wrong. */
export const disputeReasons = ['paid-not-credited', 'wrong-amount', 'other'] as const
export type DisputeReason = (typeof disputeReasons)[number]

/** Why the service itself opens a dispute. */
export type ServiceReason = 'underpaid' | 'overpaid' | 'late' | 'receipt'

type TransferName = { readonly requisiteId: string; readonly id: string }

/** Transfers in the inbox that an acceptance assigns to the payment, and those of the payment that it unassigns. */
export type TransferPlan = { readonly assign: readonly TransferName[]; readonly unassign: readonly TransferName[] }

/** An amount in minor units that one operator proposes to credit without covering money, and who confirmed it. */
export type Correction = {
  readonly amount: bigint
  readonly by: string
  readonly at: Instant
  /** What acceptance does with transfers, once it is confirmed. */
  readonly plan: TransferPlan
  /** What the payment would then have had when this was proposed: a second operator agrees to no less. */
  readonly money: bigint
  readonly confirmedBy: string | null
  readonly confirmedAt: Instant | null
}

/** A claim about a payment, one open at a time. Amounts are minor units of the payment's currency. */
export type Dispute = {
  readonly merchantId: string
  readonly id: string
  readonly paymentId: string
  readonly state: DisputeState
  readonly claimant: Claimant
  readonly openedBy: string
  readonly amount: bigint
  readonly reason: DisputeReason | ServiceReason
  readonly note: string | null
  readonly openedAt: Instant
  /** By when it should be decided. */
  readonly dueAt: Instant
  /** When operators are next reminded of it. */
  readonly remindAt: Instant | null
  /** The closed status to which the payment returns if the claim is rejected. */
  readonly fromStatus: PaymentStatus
  readonly fromFinalAmount: bigint | null
  readonly correction: Correction | null
  readonly finalAmount: bigint | null
  readonly decidedBy: string | null
  readonly decidedAt: Instant | null
  readonly decisionNote: string | null
}

/** Most files of evidence of a dispute. */
export const maxEvidence = 10

/** Most disputes of one payment that its merchant may open: all of them are kept and read with the payment. */
export const maxClaims = 20

/** The time in which a dispute should be decided. */
export const disputeDeadlineMs = 3 * day
/** How long before its deadline operators are reminded, and how often afterwards. */
export const reminderMs = day

/** When operators are next reminded of an open dispute: a day before its deadline, at the deadline, then daily. */
export const nextReminder = (deadline: Instant, now: Instant): Instant => {
  if (now < deadline - reminderMs) return deadline - reminderMs
  return now < deadline ? deadline : now + reminderMs
}

/** Whether two actors are two different persons; only operators may confirm each other. */
export const isSecondOperator = (first: string, second: string): boolean =>
  first !== second && first.startsWith('operator:') && second.startsWith('operator:')

/**
 * The state in which a dispute about a payment starts: `open` for one that was closed unpaid, `proposed` for a
 * correction of a credited one, which only operators may request. Refuses `dispute_exists` and `invalid_state`.
 */
export const startOfDispute = (payment: Payment, claimant: Claimant): 'open' | 'proposed' => {
  if (payment.status === 'disput') throw new Refusal('dispute_exists', 'The payment is already in dispute.')
  if (unpaidStatuses.has(payment.status)) return 'open'
  const isCredited = creditedStatuses.has(payment.status)
  if (isCredited && claimant === 'operator') return 'proposed'
  const hint = isCredited ? '; only an operator can correct it' : '; wait until it expires'
  throw invalidState(`The payment is ${payment.status}${hint}.`)
}

/** The dispute that the service opens when money or a receipt has taken a payment to `disput`. */
export const serviceDispute = (
  payment: Payment,
): Pick<Dispute, 'claimant' | 'openedBy' | 'amount' | 'reason' | 'fromStatus' | 'fromFinalAmount'> => {
  const { statusReason } = payment
  const reason =
    statusReason === 'underpaid' || statusReason === 'overpaid' || statusReason === 'late' ? statusReason : 'receipt'
  return {
    claimant: reason === 'receipt' ? 'payer' : 'service',
    openedBy: reason === 'receipt' ? 'payer' : 'service',
    amount: payment.received > 0n ? payment.received : payment.amount,
    reason,
    // Its time has ended or its money came: if the claim is rejected, the payment is simply unpaid.
    fromStatus: 'expired',
    fromFinalAmount: null,
  }
}

const namesOf = (keys: TransferPlan['assign']): string =>
  keys
    .map(({ requisiteId, id }) => `${requisiteId}/${id}`)
    .toSorted()
    .join()

/** Whether two plans move the same transfers. */
export const isSamePlan = (one: TransferPlan, other: TransferPlan): boolean =>
  namesOf(one.assign) === namesOf(other.assign) && namesOf(one.unassign) === namesOf(other.unassign)

/**
 * Whether the money that a payment received covers the amount to be credited, or two operators have agreed on exactly
 * this amount; otherwise a second operator has to confirm it, and also if the plan takes away money that they have not
 * agreed to take away. Of what was credited before, one takes nothing away. Refuses `amount_below_min` for 0.
 */
export const coverOf = (
  dispute: Dispute,
  received: bigint,
  amount: bigint,
  { unassign }: Pick<TransferPlan, 'unassign'>,
): 'covered' | 'needs-second' => {
  if (amount <= 0n) throw new Refusal('amount_below_min', 'The amount to credit must be greater than 0.')
  const { correction, fromStatus } = dispute
  const isAgreed = correction !== null && correction.confirmedBy !== null && correction.amount === amount
  const taken = new Set(correction?.plan.unassign.map(({ id }) => id))
  const agreed = isAgreed && unassign.every(({ id }) => taken.has(id))
  const takesAway = received > amount || unassign.length > 0
  const isEnough = received >= amount && !(takesAway && creditedStatuses.has(fromStatus))
  return isEnough || agreed ? 'covered' : 'needs-second'
}

/**
 * When a payer's claim becomes a dispute: as soon as there is a receipt and money can no longer find the payment
 * automatically. That is immediate for a canceled or failed payment, and after the late window for an expired one.
 * Returns `now`, a time to check again, or `never`.
 */
export const claimCheck = (payment: Payment, hasReceipt: boolean, now: Instant): 'now' | 'never' | Instant => {
  // The payer may claim as soon as its time has ended; the job that expires the payment may be late.
  if (openStatuses.has(payment.status)) return Math.max(now, dueAt(payment) ?? now) + minute
  if (!unpaidStatuses.has(payment.status) || !hasReceipt) return 'never'
  return payment.status !== 'expired' || now >= lateUntil(payment) ? 'now' : lateUntil(payment)
}

/** How a list of disputes is sorted: also by the deadlines of undecided ones. */
export const disputeSorts = [...listSorts, 'due', '-due'] as const
export type DisputeSort = (typeof disputeSorts)[number]
