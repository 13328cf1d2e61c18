import { bigint, boolean, instant, jsonb, nullable, query, text, uuid } from 'payin-database'
import { hasPartOfKind, isUnconfirmed } from '../../store.ts'

const candidateRow = {
  outgoingId: uuid,
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
  orderId: nullable(text),
  transferId: nullable(uuid),
  isPayee: boolean,
  bankReference: nullable(text),
  /** The transfers that brought the money and have a sender's name, which is sealed. */
  senders: jsonb<readonly { readonly id: string; readonly name: string }[]>(),
}

/** Payments whose payers are owed exactly the amounts of outgoing transfers. */
export const listOwedAmounts = query('list_payments_owed_outgoing_amounts', {
  planned: 'each-time',
  rows: { outgoingId: uuid, currency: text, amount: bigint, payeeIndex: nullable(text) },
  row: candidateRow,
  text: `select input.outgoing_id, payments.merchant_id, payments.id as payment_id, payments.order_id,
      null::uuid as transfer_id, exists (select from transfer_parts as parts
        join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
        where parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id and parts.replaced_at is null
          and transfers.sender_index = input.payee_index) as is_payee, null as bank_reference,
      coalesce((select jsonb_agg(jsonb_build_object('id', transfers.id, 'name', transfers.sender_name_sealed))
        from transfer_parts as parts
        join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
        where parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id and parts.replaced_at is null
          and transfers.sender_name_sealed is not null), '[]') as senders
    from :rows
    join ledger_balances as owed
      on owed.account like 'overpayment:%' and owed.currency = input.currency and owed.balance = -input.amount
    join payments on payments.merchant_id = owed.merchant_id
      and payments.id = substr(owed.account, length('overpayment:') + 1)::uuid
    order by payments.id desc limit 5000`,
})

/** Refunds with the amounts of transfers that left their requisites in a span and are not known to have come back. */
export const listEarlierRefunds = query('list_earlier_refunds_of_amounts', {
  rows: { transferId: uuid, requisiteId: uuid, amount: bigint, since: instant, until: instant },
  row: {
    ...{ transferId: uuid, outgoingId: uuid, merchantId: uuid, paymentId: uuid, orderId: text },
    ...{ payeeIndex: nullable(text), detailsSealed: text },
  },
  text: `select input.transfer_id, sent.id as outgoing_id, payments.merchant_id, payments.id as payment_id,
      payments.order_id, sent.payee_index, sent.details_sealed
    from :rows cross join lateral (
      select * from outgoing_transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until and each.purpose = 'refund'
      order by each.amount desc, each.booked_at desc limit 20
    ) as sent
    join payments on payments.merchant_id = sent.merchant_id and payments.id = sent.payment_id
    where not exists (select from outgoing_transfers as back
      where back.purpose = 'refund-reversal' and back.document_id = sent.id)
    order by sent.booked_at desc, sent.id`,
})

/**
 * Transfers with the amounts of outgoing transfers that came in on their requisite in a span, were not reversed and wait
 * for no second person.
 */
export const listReturnable = query('list_transfers_of_outgoing_amounts', {
  planned: 'each-time',
  rows: {
    ...{ outgoingId: uuid, requisiteId: uuid, amount: bigint, payeeIndex: nullable(text) },
    ...{ since: instant, until: instant },
  },
  row: candidateRow,
  text: `select input.outgoing_id, paid.merchant_id, paid.payment_id, payments.order_id, found.id as transfer_id,
      coalesce(found.sender_index = input.payee_index, false) as is_payee, found.bank_reference,
      case when found.sender_name_sealed is null then '[]'
        else jsonb_build_array(jsonb_build_object('id', found.id, 'name', found.sender_name_sealed)) end as senders
    from :rows cross join lateral (
      select * from transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until and each.dedupe_key not like 'withdrawn:%'
        and not ${isUnconfirmed('each')}
      order by each.amount desc, each.booked_at desc limit 20
    ) as found
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
