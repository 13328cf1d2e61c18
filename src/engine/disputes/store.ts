import {
  bigint,
  byName,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  sooner,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { Claimant, Dispute, DisputeState, TransferPlan } from '../../rules/payments/dispute.ts'
import type { PaymentStatus } from '../../rules/payments/payment.ts'
import type { ReceiptType } from '../../rules/payments/receipt.ts'

const changing = {
  state: word<DisputeState>(),
  claimant: word<Claimant>(),
  openedBy: text,
  amount: bigint,
  reason: word<Dispute['reason']>(),
  note: nullable(text),
  openedAt: instant,
  dueAt: instant,
  remindAt: nullable(instant),
  fromStatus: word<PaymentStatus>(),
  fromFinalAmount: nullable(bigint),
  correctionAmount: nullable(bigint),
  correctionBy: nullable(text),
  correctionAt: nullable(instant),
  correctionPlan: nullable(jsonb<TransferPlan>()),
  correctionMoney: nullable(bigint),
  confirmedBy: nullable(text),
  confirmedAt: nullable(instant),
  finalAmount: nullable(bigint),
  decidedBy: nullable(text),
  decidedAt: nullable(instant),
  decisionNote: nullable(text),
}

const disputeRow = { merchantId: uuid, id: uuid, paymentId: uuid, ...changing }

const disputes = table('disputes', { merchantId: uuid, id: uuid })

export const saveDispute = disputes.upsert('save_dispute', { paymentId: uuid, ...changing })

export const listDisputesOf = table('disputes', { merchantId: uuid, paymentId: uuid }).select(
  'list_disputes_of_payment',
  disputeRow,
  'order by id desc',
)

export const findDispute = disputes.find('find_dispute', disputeRow)

export const selectDisputes = query('list_disputes_by_id', {
  rows: { merchantId: uuid, id: uuid },
  row: disputeRow,
  text: `select disputes.:row from :rows
    join disputes on disputes.merchant_id = input.merchant_id and disputes.id = input.id`,
})

export const listUndisputed = query('list_undisputed_payments', {
  parameters: { limit: integer },
  row: { merchantId: uuid, paymentId: uuid },
  text: `select merchant_id, id as payment_id from payments where status = 'disput' and not exists (
      select from disputes where disputes.merchant_id = payments.merchant_id and disputes.payment_id = payments.id
        and decided_at is null)
    order by merchant_id, id limit :limit`,
})

export const listReminders = query('list_dispute_reminders', {
  parameters: { now: instant, limit: integer },
  row: { merchantId: uuid, id: uuid, paymentId: uuid },
  text: `select :row from disputes where remind_at <= :now order by remind_at limit :limit`,
})

/**
 * Turns the deadlines and reminders of a sandbox merchant's undecided disputes forward; returns those whose deadline it
 * moved.
 */
export const markDisputesTurned = query('turn_disputes', {
  parameters: { merchantId: uuid, now: instant, byMs: bigint },
  row: { id: uuid },
  text: `update disputes set
      due_at = case when due_at > :now then greatest(:now, ${sooner('due_at')}) else due_at end,
      remind_at = case when remind_at > :now then greatest(:now, ${sooner('remind_at')})
        else remind_at end
    where merchant_id = :merchantId and decided_at is null returning id`,
})

const eventRow = { disputeId: uuid, sequence: integer, kind: text, actor: text, note: nullable(text), at: instant }

export const insertEvent = query('insert_dispute_event', {
  parameters: { merchantId: uuid, disputeId: uuid, kind: text, actor: text, note: nullable(text), at: instant },
  text: `insert into dispute_events (merchant_id, dispute_id, sequence, kind, actor, note, at)
    select :merchantId, :disputeId, coalesce(max(sequence), 0) + 1, :kind, :actor, :note, :at
    from dispute_events where merchant_id = :merchantId and dispute_id = :disputeId`,
})

export const listDisputeEvents = table('dispute_events', { merchantId: uuid, disputeId: uuid }).select(
  'list_dispute_events',
  eventRow,
  'order by sequence',
)

const evidenceRow = {
  merchantId: uuid,
  disputeId: uuid,
  id: uuid,
  uploadedBy: text,
  contentType: word<ReceiptType>(),
  size: integer,
  receivedAt: instant,
}

export const insertEvidence = table('dispute_evidence', {
  merchantId: uuid,
  disputeId: uuid,
  contentIndex: text,
}).insertNew('insert_dispute_evidence', { ...evidenceRow, contentSealed: text, contentHash: nullable(text) })

export const listEvidence = table('dispute_evidence', { merchantId: uuid, disputeId: uuid }).select(
  'list_dispute_evidence',
  { ...evidenceRow, contentIndex: text },
  'order by id',
)

export const findEvidence = table('dispute_evidence', { merchantId: uuid, disputeId: uuid, id: uuid }).find(
  'find_dispute_evidence',
  { ...evidenceRow, contentSealed: text, contentHash: nullable(text) },
)

export const findDisputes = byName(
  'find_disputes',
  'disputes',
  { merchantId: uuid, id: uuid, state: word<DisputeState>(), orderId: text },
  'payments.order_id = :typed',
  `select disputes.merchant_id, disputes.id, disputes.state, payments.order_id
    from disputes join payments on payments.merchant_id = disputes.merchant_id and payments.id = disputes.payment_id
    where payments.merchant_id = owner.id`,
)
