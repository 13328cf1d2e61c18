import { integer, query, text, uuid } from '../../database/query.ts'

const keys = { merchantId: uuid, paymentId: uuid }
// As the index of a payment's events has it.
const numbered = 'outbox.position is not null and outbox.payment_id is not null'

/** The numbered notifications about payments, as the database writes them. */
export const readNotified = query('read_notifications_of_payments', {
  rows: keys,
  row: { ...keys, notifications: text },
  text: `select input.merchant_id, input.payment_id, coalesce((
      select jsonb_agg(to_jsonb(outbox) - 'merchant_id' - 'payment_id' order by position) from outbox
      where outbox.payment_id = input.payment_id and outbox.merchant_id = input.merchant_id and ${numbered}), '[]')::text
      as notifications from :rows`,
})

/** Deletes the numbered notifications about payments, and adds them to what is archived of their merchants; returns how many. */
export const deleteNotified = query('delete_notifications_of_payments', {
  rows: keys,
  row: { notifications: integer },
  text: `with wanted as (select :columns from :rows), gone as (
      delete from outbox using wanted where outbox.payment_id = wanted.payment_id
        and outbox.merchant_id = wanted.merchant_id and ${numbered}
      returning outbox.merchant_id, outbox.position
    ), summed as (
      insert into archived_notifications as archived (merchant_id, through, notifications, positions)
      select merchant_id, max(position), count(*), sum(position) from gone group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set through = greatest(archived.through, excluded.through),
        notifications = archived.notifications + excluded.notifications,
        positions = archived.positions + excluded.positions
    )
    select count(*)::integer as notifications from gone`,
})
