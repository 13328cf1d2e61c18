import { bigint, boolean, instant, integer, jsonb, nullable, query, text, uuid } from 'payin-database'
import { hasPartOfKind, isUnconfirmed } from '../../store.ts'

/** Amounts that left an account, once without a payee, and once for each payee whose number is known. */
const amountRow = {
  ...{ groupNumber: integer, requisiteId: uuid, currency: text, amount: bigint, payeeIndex: nullable(text) },
  ...{ since: instant, until: instant },
}

const candidateRow = {
  groupNumber: integer,
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
  orderId: nullable(text),
  transferId: nullable(uuid),
  bankReference: nullable(text),
  /** When a transfer came in. */
  cameAt: nullable(instant),
  /** The transfers that brought the money, with the sealed names of their senders. */
  senders: jsonb<readonly { readonly id: string; readonly name: string | null; readonly index: string | null }[]>(),
}

const senderOf = (transfer: string): string =>
  `jsonb_build_object('id', ${transfer}.id, 'name', ${transfer}.sender_name_sealed, 'index', ${transfer}.sender_index)`

/** Most candidates of an amount, besides those whose payer has a payee's number: the latest ones. */
const mostAlike = 3000

const owesAmount = `owed.currency = input.currency and owed.balance = -input.amount and owed.balance < 0
          and owed.account like 'overpayment:%'
          and exists (select from merchants join requisites on requisites.id = input.requisite_id
            where merchants.id = owed.merchant_id and merchants.mode = requisites.mode)`

export const listOwedAmounts = query('list_payments_owed_outgoing_amounts', {
  planned: 'each-time',
  rows: amountRow,
  row: candidateRow,
  text: `select input.group_number, payments.merchant_id, payments.id as payment_id, payments.order_id,
      null::uuid as transfer_id, null as bank_reference, null::timestamptz as came_at,
      coalesce((select jsonb_agg(${senderOf('transfers')}) from transfer_parts as parts
        join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
        where parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id
          and parts.replaced_at is null), '[]') as senders
    from :rows cross join lateral (
      (select owed.merchant_id, owed.account from ledger_balances as owed
        where input.payee_index is null and ${owesAmount} order by owed.account desc limit ${mostAlike})
      union
      (select owed.merchant_id, owed.account from transfers
        join transfer_parts as parts on parts.requisite_id = transfers.requisite_id
          and parts.transfer_id = transfers.id and parts.replaced_at is null
        join ledger_balances as owed on owed.merchant_id = parts.merchant_id
          and owed.account = 'overpayment:' || parts.payment_id
        where transfers.sender_index = input.payee_index and ${owesAmount})
      union
      (select refunds.merchant_id, 'overpayment:' || refunds.payment_id from refunds
        join merchants on merchants.id = refunds.merchant_id
        join requisites on requisites.id = input.requisite_id and requisites.mode = merchants.mode
        where input.payee_index is null and refunds.status = 'approved' and refunds.currency = input.currency
          and refunds.amount = input.amount order by refunds.id desc limit ${mostAlike})
    ) as owed
    join payments on payments.merchant_id = owed.merchant_id
      and payments.id = substr(owed.account, length('overpayment:') + 1)::uuid
    order by payments.id desc`,
})

/** Refunds of these amounts that left the requisite in a span and are not known to have come back, the latest first. */
export const listSentRefunds = query('list_sent_refunds', {
  rows: { moneyId: uuid, requisiteId: uuid, amount: bigint, since: instant, until: instant },
  row: {
    ...{ moneyId: uuid, id: uuid, merchantId: uuid, paymentId: uuid, decisionId: uuid, orderId: text },
    ...{
      bankReference: nullable(text),
      referenceKind: nullable(text),
      payeeIndex: nullable(text),
      detailsSealed: text,
    },
  },
  text: `select input.money_id, sent.id, payments.merchant_id, payments.id as payment_id, sent.document_id as decision_id,
      payments.order_id, sent.bank_reference, sent.reference_kind, sent.payee_index, sent.details_sealed
    from :rows cross join lateral (
      select * from outgoing_transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until and each.purpose = 'refund'
      order by each.amount desc, each.booked_at desc limit 1000
    ) as sent
    join payments on payments.merchant_id = sent.merchant_id and payments.id = sent.payment_id
    where not exists (select from outgoing_transfers as back
      where back.purpose = 'refund-reversal' and back.document_id = sent.id)
    order by sent.booked_at desc, sent.id`,
})

const mayReturn = `each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until and each.dedupe_key not like 'withdrawn:%'
        and not ${isUnconfirmed('each')}`

/** Transfers of these amounts on the requisite in a span, not reversed, that wait for no second person. */
export const listReturnable = query('list_transfers_of_outgoing_amounts', {
  planned: 'each-time',
  rows: amountRow,
  row: candidateRow,
  text: `select input.group_number, paid.merchant_id, paid.payment_id, payments.order_id, found.id as transfer_id,
      found.bank_reference, found.booked_at as came_at, jsonb_build_array(${senderOf('found')}) as senders
    from :rows cross join lateral (
      (select each.id from transfers as each where each.sender_index = input.payee_index and ${mayReturn})
      union
      (select each.id from transfers as each where input.payee_index is null and ${mayReturn}
        order by each.amount desc, each.booked_at desc limit ${mostAlike})
    ) as wanted
    join transfers as found on found.requisite_id = input.requisite_id and found.id = wanted.id
    left join lateral (
      select merchant_id, payment_id from transfer_parts as parts
      where parts.requisite_id = found.requisite_id and parts.transfer_id = found.id and parts.kind = 'payment'
        and parts.replaced_at is null
      order by number limit 1
    ) as paid on true
    left join payments on payments.merchant_id = paid.merchant_id and payments.id = paid.payment_id
    where not ${hasPartOfKind(`in ('duplicate', 'overpayment', 'reversed')`, 'found')}
      and not exists (select from transfer_reversals as reversals
        where reversals.requisite_id = found.requisite_id and reversals.transfer_id = found.id)`,
})

const assignedBy = `to_jsonb(array(select distinct moved.decided_by from transfer_parts as moved
        where moved.merchant_id = payments.merchant_id and moved.payment_id = payments.id))`

/** Whether a decision sends a refund that its merchant asked for. */
const isOfMerchant = `coalesce(decisions.reference like 'refund:%', false)`

const isTyped = `(sent.reported_by is not null or coalesce(sent.channel, '') = 'operator')`

/** The transfers that refunds (all of the payment) and reversals return, also if these are not recorded yet. */
export const listReturnedTransfers = query('list_transfers_returned_by_announced_money', {
  rows: {
    ...{ id: uuid, requisiteId: uuid, merchantId: nullable(uuid), paymentId: nullable(uuid) },
    transferId: nullable(uuid),
  },
  row: {
    documentId: uuid,
    reference: nullable(text),
    referenceAt: nullable(instant),
    referenceBy: nullable(text),
    paymentId: nullable(uuid),
    orderId: nullable(text),
    createdAt: nullable(instant),
    /** Who has ever decided about money of the payment. */
    assignedBy: jsonb<readonly string[]>(),
    transferId: nullable(uuid),
    senderSealed: nullable(text),
    senderNameSealed: nullable(text),
    bankReference: nullable(text),
    /** Whether the transfer rests on one person's word, or was typed in. */
    isTyped: nullable(boolean),
    arrivedAt: nullable(instant),
    /**
     * How much of the transfer belongs to the payment: nothing of what no bank has proven nor, for what its merchant
     * refunds, of overpayments.
     */
    sent: nullable(bigint),
    /** What refunds of the payment that were decided before have returned. */
    returned: bigint,
  },
  text: `select input.id as document_id, decisions.reference, decisions.decided_at as reference_at,
      decisions.decided_by as reference_by, payments.id as payment_id, payments.order_id, payments.created_at,
      ${assignedBy} as assigned_by, sent.id as transfer_id, sent.sender_sealed, sent.sender_name_sealed, sent.bank_reference,
      ${isTyped} as is_typed, sent.booked_at as arrived_at,
      case when sent.unproven or sent.reported_by is not null or (${isOfMerchant} and parts.kind <> 'payment') then 0
        else parts.amount - parts.reversed_amount end as sent,
      (select coalesce(sum(amount), 0) from overpayment_decisions as earlier
        where earlier.merchant_id = payments.merchant_id and earlier.payment_id = payments.id
          and earlier.decision = 'refund' and earlier.reversed_at is null
          and (not ${isOfMerchant} or earlier.reference ~ '^(refund|outgoing):')
          and (decisions.id is null or earlier.id < decisions.id))::bigint as returned
    from :rows
    join payments on payments.merchant_id = input.merchant_id and payments.id = input.payment_id
    left join overpayment_decisions as decisions on decisions.merchant_id = input.merchant_id and decisions.id = input.id
    left join transfer_parts as parts on parts.merchant_id = payments.merchant_id
      and parts.payment_id = payments.id and parts.replaced_at is null
    left join transfers as sent on sent.requisite_id = parts.requisite_id and sent.id = parts.transfer_id
    union all
    select input.id, null, null, null, payments.id, payments.order_id, payments.created_at, ${assignedBy}, sent.id,
      sent.sender_sealed, sent.sender_name_sealed, sent.bank_reference, ${isTyped}, sent.booked_at, sent.amount, 0
    from :rows
    left join transfer_reversals as reversals on reversals.requisite_id = input.requisite_id and reversals.id = input.id
    join transfers as sent on sent.requisite_id = input.requisite_id
      and sent.id = coalesce(reversals.transfer_id, input.transfer_id)
    left join transfer_parts as parts on parts.requisite_id = sent.requisite_id and parts.transfer_id = sent.id
    left join payments on payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id`,
})
