import { bigint, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'
import type { OverpaymentDecision } from '../../../rules/transfers/overpayment.ts'

const decisionRow = {
  merchantId: uuid,
  id: uuid,
  paymentId: uuid,
  reference: text,
  decision: word<OverpaymentDecision>(),
  currency: text,
  amount: bigint,
  requisiteId: nullable(uuid),
  laterPrice: nullable(bigint),
  bookedAt: instant,
  reason: text,
  decidedBy: text,
  decidedAt: instant,
}

const byReference = table('overpayment_decisions', { merchantId: uuid, reference: text })

export const insertDecision = byReference.insertNew('insert_overpayment_decision', decisionRow)

export const findDecision = byReference.find('find_overpayment_decision', decisionRow)

/** What an operator has written off of real money since a time. */
export const listOwnWriteOffs = query('list_own_write_offs', {
  parameters: { decidedBy: text, since: instant, until: instant },
  row: { currency: text, amount: bigint },
  text: `select decisions.currency, decisions.amount from overpayment_decisions as decisions
    join merchants on merchants.id = decisions.merchant_id and merchants.mode = 'live'
    where decisions.decision = 'write-off' and decisions.decided_by = :decidedBy
      and decisions.decided_at > :since and decisions.decided_at <= :until`,
})

/** Marks a refund as reversed, which frees its reference. */
export const reverseDecision = query('reverse_overpayment_decision', {
  parameters: { merchantId: uuid, id: uuid, now: instant },
  row: decisionRow,
  text: `update overpayment_decisions set reversed_at = :now, reference = 'reversed:' || id
    where merchant_id = :merchantId and id = :id and decision = 'refund' and reversed_at is null
    returning :row`,
})

export const selectOverpayments = query('list_overpayments', {
  planned: 'each-time',
  parameters: { merchantId: nullable(uuid), mode: word<MerchantMode>(), before: nullable(uuid), limit: integer },
  row: {
    ...{ merchantId: uuid, id: uuid, orderId: text, currency: text, amount: bigint },
    ...{ bookedAt: nullable(instant), sender: nullable(text), senderName: nullable(text) },
    outcome: nullable(text),
  },
  text: `select page.*, came.booked_at, came.sender_masked as sender, came.sender_name_masked as sender_name, came.outcome
    from (select payments.merchant_id, payments.id, payments.order_id, owed.currency, -owed.balance as amount
      from ledger_balances as owed
      join payments on payments.merchant_id = owed.merchant_id
        and payments.id = substr(owed.account, length('overpayment:') + 1)::uuid
      where owed.account like 'overpayment:%' and owed.balance < 0
        and (owed.merchant_id = :merchantId
          or (:merchantId is null and owed.merchant_id in (select id from merchants where mode = :mode)))
        and (:before is null or payments.id < :before)
      order by payments.id desc limit :limit) as page
    left join lateral (select transfers.booked_at, transfers.sender_masked, transfers.sender_name_masked, parts.outcome
      from transfer_parts as parts
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
      where parts.merchant_id = page.merchant_id and parts.payment_id = page.id
        and parts.kind = 'overpayment' and parts.replaced_at is null
      order by transfers.booked_at desc limit 1) as came on true
    order by page.id desc`,
})
