import type { Context, Tx } from '../context.ts'
import { confirmCorrection, decideDispute, lockDispute } from '../disputes/decide-dispute.ts'
import { disputeOf, openDispute } from '../disputes/disputes.ts'
import { sealFile } from '../disputes/claims/seal-file.ts'
import { addEvidence } from '../disputes/evidence.ts'
import type { Dispute } from '../../rules/payments/dispute.ts'
import { creditedStatuses, type Payment } from '../../rules/payments/payment.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'

/** Who decides in the sandbox, and who confirms: large sums, credits beyond the money and corrections take two. */
export const simulatedOperators = ['operator:simulated', 'operator:simulated-second'] as const

const [operator, secondOperator] = simulatedOperators

/** A simulated operator; what is simulated never waits for another person. */
const deciderOf = (actor: string) => ({ actor, refuseOnePerson: async () => {}, loneReport: async () => null })

const payer = { claimant: 'payer', actor: 'payer' } as const
const note = 'Simulated.'

/** Runs a change of a payment and its undecided dispute, and removes the step from the plan. */
const changeDispute = (
  context: Context,
  step: DueStep,
  change: (tx: Tx, payment: Payment, dispute: Dispute | undefined) => Promise<unknown>,
): Promise<void> =>
  context.transaction(async (tx) => {
    const payment = await lockPayment(tx, step.merchantId, step.paymentId)
    if (payment) await change(tx, payment, await disputeOf(tx, payment))
    await finishStep(tx, step)
  })

/** Confirms what the first simulated operator has proposed, if it waits for that. */
const confirmProposal = async (tx: Tx, { merchantId, id }: Dispute): Promise<void> => {
  const { dispute } = await lockDispute(tx, { merchantId, id }, secondOperator)
  const { correction, decidedAt } = dispute
  if (decidedAt !== null || correction === null || correction.confirmedBy !== null) return
  await confirmCorrection(tx, dispute, correction, deciderOf(secondOperator))
}

/** Takes a payment to `disput` unless it is there: by a claim of the payer, or a correction if it has been credited. */
const open = (context: Context, step: DueStep): Promise<void> =>
  changeDispute(context, step, async (tx, payment, known) => {
    if (known) return
    const isCredited = creditedStatuses.has(payment.status)
    const by = isCredited ? ({ claimant: 'operator', actor: operator } as const) : payer
    const amount = step.amount ?? payment.amount
    const opened = await openDispute(tx, payment, { ...by, amount, reason: 'paid-not-credited', note })
    await confirmProposal(tx, opened)
  })

/** What shows that more than the payment asked for is due. */
const proof = { type: 'application/pdf', content: Buffer.from('%PDF-1.4\n% Simulated.\n') } as const

/** Decides for the claimant, with two operators and a file if no money covers the amount. */
const accept = async (context: Context, step: DueStep): Promise<void> => {
  const file = await sealFile(context, 'dispute_evidence', proof)
  await changeDispute(context, step, async (tx, payment, dispute) => {
    if (!dispute) return
    if ((step.amount ?? 0n) > payment.amount) await addEvidence(tx, dispute, file, operator)
    const plan = { assign: [], unassign: [] }
    await decideDispute(tx, dispute, { accept: true, amount: step.amount, plan, note }, deciderOf(operator))
    await confirmProposal(tx, dispute)
  })
}

const reject = (context: Context, step: DueStep): Promise<void> =>
  changeDispute(context, step, async (tx, _payment, dispute) => {
    if (dispute) await decideDispute(tx, dispute, { accept: false, note }, deciderOf(operator))
  })

/** What simulated people do with disputes. Without an open one a decision does nothing; refuses as disputes do. */
export const playDispute = { open, accept, reject } as const
