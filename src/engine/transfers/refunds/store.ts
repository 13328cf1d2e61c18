import {
  array,
  bigint,
  boolean,
  byName,
  instant,
  integer,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'
import { paidForStatuses, type RefundStatus } from '../../../rules/transfers/refund.ts'

const changing = {
  status: word<RefundStatus>(),
  sequence: integer,
  proposedBy: nullable(text),
  approvedBy: nullable(text),
  decisionId: nullable(uuid),
  failure: nullable(text),
  failingBy: nullable(text),
  bankOrder: nullable(integer),
  bankFile: nullable(integer),
  payeeSealed: nullable(text),
  changedAt: instant,
}

const shares = { net: bigint, fee: bigint }

const refundRow = {
  ...{ merchantId: uuid, id: uuid, paymentId: uuid, orderId: text, requisiteId: uuid, reference: text },
  ...{ currency: text, amount: bigint, quoteCurrency: text },
  reason: nullable(text),
  payToSealed: nullable(text),
  payToMasked: nullable(text),
  requestedBy: text,
  createdAt: instant,
  ...shares,
  ...changing,
}

const refunds = table('refunds', { merchantId: uuid, id: uuid })

export const insertRefund = refunds.insert('insert_refund', refundRow)

export const updateRefund = refunds.update('update_refund', changing)

/** Changes what merchant and fees pay; a step that is taken at the same time keeps it. */
export const updateShares = refunds.updateAll('update_shares_of_refunds', shares)

/** Says where refunds go. */
export const updatePayTo = refunds.updateAll('update_accounts_of_refunds', {
  payToSealed: text,
  payToMasked: text,
})

const events = table('refund_events', { merchantId: uuid, refundId: uuid })

const eventRow = { sequence: integer, status: word<RefundStatus>(), actor: text, at: instant }

export const insertRefundEvent = events.insert('insert_refund_event', eventRow)

export const listRefundEvents = events.select('list_refund_events', eventRow, 'order by sequence')

export const { find: findRefund, lock: lockRefund } = refunds.findAndLock('refund', refundRow)

export const findRefundByReference = table('refunds', { merchantId: uuid, reference: text }).find(
  'find_refund_by_reference',
  refundRow,
)

const inStatuses = (statuses: readonly RefundStatus[]): string => statuses.map((status) => `'${status}'`).join(', ')

/** Refunds of a payment for which its merchant has paid, the latest first. */
export const listPaidRefunds = table('refunds', { merchantId: uuid, paymentId: uuid }).select(
  'list_paid_refunds_of_payment',
  refundRow,
  `and status in (${inStatuses(paidForStatuses)}) order by id desc`,
)

/** Locks approved refunds of a payment and an amount: outgoing money may be one of them. */
export const lockApprovedRefunds = table('refunds', { merchantId: uuid, paymentId: uuid, amount: bigint }).select(
  'lock_approved_refunds',
  refundRow,
  `and status = 'approved' order by id limit 1 for update`,
)

/** Locks refunds whose money left an account by these decisions. */
export const lockRefundsOfDecisions = query('lock_refunds_of_decisions', {
  parameters: { decisionIds: array(uuid) },
  row: refundRow,
  text: `select :row from refunds where decision_id = any(:decisionIds) order by merchant_id, id for update`,
})

/** The decisions about refunds to which outgoing transfers are booked. */
export const listRefundDecisionsBooked = query('list_refund_decisions_of_outgoing_transfers', {
  rows: { requisiteId: uuid, id: uuid },
  row: { decisionId: uuid },
  text: `select sent.document_id as decision_id from :rows
    join outgoing_transfers as sent on sent.requisite_id = input.requisite_id and sent.id = input.id
    where sent.purpose = 'refund' and sent.state = 'booked' and sent.document_id is not null`,
})

/** A part of a payment's money that only one person, or messages on phones, have reported. */
export const findUnprovenMoney = query('find_unproven_money_of_payment', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { transferId: uuid },
  text: `select transfers.id as transfer_id from transfer_parts as parts
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    where parts.merchant_id = :merchantId and parts.payment_id = :paymentId and parts.replaced_at is null
      and parts.kind = 'payment' and (transfers.unproven or transfers.reported_by is not null)
    limit 1`,
})

/**
 * What an operator did alone with real refunds within a span, by currency: approved them to accounts that merchants named,
 * or failed those that were ever sent.
 */
export const sumDecidedAlone = query('sum_refunds_decided_alone', {
  parameters: { actor: text, since: instant, until: instant },
  row: { currency: text, amount: bigint },
  text: `select refunds.currency, least(sum(refunds.amount), 9e18)::bigint as amount from refunds
    join merchants on merchants.id = refunds.merchant_id and merchants.mode = 'live'
    join refund_events as events on events.merchant_id = refunds.merchant_id and events.refund_id = refunds.id
      and events.at > :since and events.at <= :until
    left join refund_events as earlier on earlier.merchant_id = events.merchant_id
      and earlier.refund_id = events.refund_id and earlier.sequence = events.sequence - 1
    where (events.status = 'approved' and earlier.status = 'requested' and refunds.pay_to_sealed is not null
        and refunds.approved_by = :actor and coalesce(refunds.proposed_by, :actor) = :actor)
      or (events.status = 'failed' and earlier.status in ('approved', 'sent') and events.actor = :actor
        and coalesce(refunds.failing_by, :actor) = :actor
        and exists (select from refund_events as sent where sent.merchant_id = events.merchant_id
          and sent.refund_id = events.refund_id and sent.status = 'sent'))
    group by refunds.currency`,
})

export const selectRefunds = refunds.page('list_refunds', refundRow, {
  filter: {
    ...{ merchantId: nullable(uuid), mode: word<MerchantMode>(), orderId: nullable(text) },
    status: nullable(word<RefundStatus>()),
  },
  where: `(merchant_id = :merchantId
      or (:merchantId is null and merchant_id in (select id from merchants where mode = :mode)))
    and (:orderId is null or order_id = :orderId) and (:status is null or status = :status)`,
})

/** Approved refunds in a currency, of a merchant or of all of a mode, the oldest first, from after an id. */
export const listApprovedRefunds = query('list_approved_refunds', {
  planned: 'each-time',
  parameters: {
    merchantId: nullable(uuid),
    mode: word<MerchantMode>(),
    currency: text,
    after: nullable(uuid),
    limit: integer,
  },
  row: refundRow,
  text: `select :row from refunds where status = 'approved' and currency = :currency and (:after is null or id > :after)
    and (merchant_id = :merchantId or :merchantId is null) and merchant_id in (select id from merchants where mode = :mode)
    order by id limit :limit`,
})

export const findLastBankOrder = query('find_last_bank_order_of_refunds', {
  parameters: {},
  row: { bankOrder: integer },
  text: `select bank_order from refunds where bank_order is not null order by bank_order desc limit 1`,
})

/** The refunds that a file has sent from a requisite, if their bank has not reported them. */
export const listSentInFile = query('list_refunds_sent_in_bank_file', {
  parameters: { bankFile: integer, requisiteId: uuid },
  row: { ...refundRow, bankOrder: integer, payeeSealed: text, bookedAt: instant },
  text: `select :row from (
      select refunds.*, decisions.booked_at from refunds
      join overpayment_decisions as decisions on decisions.merchant_id = refunds.merchant_id
        and decisions.id = refunds.decision_id
      where refunds.bank_file = :bankFile and refunds.status = 'sent' and decisions.requisite_id = :requisiteId
    ) as sent order by bank_order`,
})

/**
 * Who sent money to payments. `isProven`: it pays for them, and a bank has reported it; neither one person alone nor only
 * messages on phones.
 */
export const listPayersOfRefunds = query('list_payers_of_refunded_payments', {
  rows: { merchantId: uuid, paymentId: uuid },
  row: {
    ...{ paymentId: uuid, transferId: uuid, senderSealed: nullable(text), senderNameSealed: nullable(text) },
    ...{ senderBank: nullable(text), bankReference: nullable(text), sent: bigint, isProven: boolean },
  },
  text: `select parts.payment_id, transfers.id as transfer_id, transfers.sender_sealed, transfers.sender_name_sealed,
      transfers.sender_bank, transfers.bank_reference, parts.amount - parts.reversed_amount as sent,
      parts.kind = 'payment' and not transfers.unproven and transfers.reported_by is null as is_proven
    from :rows join transfer_parts as parts on parts.merchant_id = input.merchant_id
      and parts.payment_id = input.payment_id and parts.replaced_at is null
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    order by transfers.id`,
})

export const findRefundsByTyped = byName(
  'find_refunds',
  'refunds',
  { merchantId: uuid, id: uuid, reference: text, status: text, currency: text, amount: bigint },
  'refunds.reference = :typed',
)
