import { instant, integer, jsonb, nullable, query, uuid } from 'payin-database'
import type { Payment } from '../../../rules/payments/payment.ts'

const key = { merchantId: uuid, paymentId: uuid }

export const listHolding = query('list_holding_payments', {
  parameters: { merchantId: uuid, now: instant, limit: integer },
  row: key,
  text: `select distinct held.merchant_id, payment_id from (
      select merchant_id, payment_id, requisite_id from slots where merchant_id = :merchantId and held_until > :now
      union all
      select merchant_id, payment_id, requisite_id from past_slots where merchant_id = :merchantId and held_until > :now
    ) as held
    join requisites on requisites.id = held.requisite_id and requisites.mode = 'sandbox'
    order by payment_id limit :limit`,
})

export const updateTimes = query('update_payment_times', {
  rows: {
    merchantId: uuid,
    id: uuid,
    expiredAt: instant,
    windows: jsonb<Pick<Payment['terms'], 'graceMs' | 'lateWindowMs' | 'confirmDeadlineMs'>>(),
    dueAt: nullable(instant),
  },
  text: `update payments set expired_at = input.expired_at, due_at = input.due_at,
      terms = coalesce(terms, '{}') || input.windows
    from :rows where payments.merchant_id = input.merchant_id and payments.id = input.id`,
})
