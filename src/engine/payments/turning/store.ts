import { instant, integer, jsonb, nullable, query, uuid } from 'payin-database'
import type { Payment } from '../../../rules/payments/payment.ts'

const key = { merchantId: uuid, paymentId: uuid }

/** A sandbox merchant's unpaid payments whose time, or late window, is running. */
export const listRunning = query('list_running_payments', {
  parameters: { merchantId: uuid, now: instant, limit: integer },
  row: key,
  text: `select payments.merchant_id, payments.id as payment_id from payments
    where payments.merchant_id = :merchantId and payments.status in ('new', 'processing', 'expired', 'disput')
      and payments.id in (select slots.payment_id from slots
        join requisites on requisites.id = slots.requisite_id and requisites.mode = 'sandbox'
        where slots.merchant_id = :merchantId and slots.held_until > :now
        union all
        select past_slots.payment_id from past_slots
        join requisites on requisites.id = past_slots.requisite_id and requisites.mode = 'sandbox'
        where past_slots.merchant_id = :merchantId and past_slots.held_until > :now)
    order by payments.id limit :limit`,
})

/** Writes the times of locked payments of a sandbox merchant, and their windows into their terms. */
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
