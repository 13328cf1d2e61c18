import { array, boolean, nullable, query, text, uuid } from 'payin-database'

/** Newest payments of a user that are read to know from which names it pays. */
const mostOfUser = 100

export const listPayerNames = query('list_payer_names', {
  rows: { merchantId: uuid, userId: text },
  row: { merchantId: uuid, userId: text, transferId: uuid, senderNameSealed: nullable(text) },
  text: `select input.merchant_id, input.user_id, paid.id as transfer_id, paid.sender_name_sealed from :rows
    cross join lateral (
      select distinct transfers.id, transfers.sender_name_sealed from (
        select id from payments where payments.merchant_id = input.merchant_id and user_id_given
          and payments.user_id = input.user_id
        order by payments.merchant_id, payments.user_id, payments.id desc limit ${mostOfUser}
      ) as own
      join transfer_parts as parts on parts.merchant_id = input.merchant_id and parts.payment_id = own.id
        and parts.replaced_at is null and parts.kind in ('payment', 'overpayment')
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
        and transfers.sender_name_sealed is not null
      order by transfers.id desc limit 5
    ) as paid
    order by input.merchant_id, input.user_id, paid.id desc`,
})

/** Newest transfers of a sender that are read to know for whom it pays. */
const mostOfSender = 20

export const listPaidBySenders = query('list_payments_paid_by_senders', {
  parameters: { senderIndexes: array(text) },
  row: { senderIndex: text, merchantId: uuid, id: uuid, userId: text, userIdGiven: boolean, isCredited: boolean },
  text: `select distinct input.sender_index, payments.merchant_id, payments.id, payments.user_id, payments.user_id_given,
      payments.status in ('paid', 'disput-paid') as is_credited
    from unnest(:senderIndexes) as input (sender_index)
    cross join lateral (
      select requisite_id, id from transfers where transfers.sender_index = input.sender_index
      order by transfers.sender_index, transfers.id desc limit ${mostOfSender}
    ) as sent
    cross join lateral (
      select merchant_id, payment_id from transfer_parts as parts where parts.requisite_id = sent.requisite_id
        and parts.transfer_id = sent.id and parts.replaced_at is null and parts.kind = 'payment' offset 0
    ) as paid
    join payments on payments.merchant_id = paid.merchant_id and payments.id = paid.payment_id`,
})

export const listSendersOfPayments = query('list_senders_of_payments', {
  rows: { merchantId: uuid, paymentId: uuid },
  row: { paymentId: uuid, transferId: uuid, senderNameSealed: nullable(text), senderBank: nullable(text) },
  text: `select input.payment_id, parts.transfer_id, transfers.sender_name_sealed, transfers.sender_bank
    from :rows join transfer_parts as parts on parts.merchant_id = input.merchant_id
      and parts.payment_id = input.payment_id and parts.replaced_at is null and parts.kind = 'payment'
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    where transfers.sender_name_sealed is not null or transfers.sender_bank is not null`,
})

export const findPayerNumbers = query('find_payer_numbers', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { phoneSealed: nullable(text), transferId: nullable(uuid), senderSealed: nullable(text) },
  text: `select payments.payer_phone_sealed as phone_sealed, sent.id as transfer_id, sent.sender_sealed from payments
    left join lateral (
      select transfers.id, transfers.sender_sealed from transfer_parts as parts
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
      where parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id
        and parts.replaced_at is null and transfers.sender_sealed is not null
      order by transfers.id limit 1
    ) as sent on true
    where payments.merchant_id = :merchantId and payments.id = :paymentId`,
})
