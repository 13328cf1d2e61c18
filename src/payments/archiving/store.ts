import { integer, query, text, uuid } from '../../database/query.ts'

const keys = { merchantId: uuid, paymentId: uuid }
const ofPayment = (table: string, order: string): string => `coalesce((
      select jsonb_agg(to_jsonb(${table}) - 'merchant_id' - 'payment_id' order by ${order}) from ${table}
      where ${table}.merchant_id = input.merchant_id and ${table}.payment_id = input.payment_id), '[]')::text`

/** The events and acknowledgements of payments, as the database writes them. */
export const readHistories = query('read_payment_histories', {
  rows: keys,
  row: { ...keys, events: text, acknowledgements: text },
  text: `select input.merchant_id, input.payment_id, ${ofPayment('payment_events', 'sequence')} as events,
      ${ofPayment('payment_acknowledgements', 'sequence')} as acknowledgements from :rows`,
})

/** Deletes the events and acknowledgements of payments; returns how many. */
export const deleteHistories = query('delete_payment_histories', {
  rows: keys,
  row: { events: integer, acknowledgements: integer },
  text: `with wanted as (select :columns from :rows), events as (
      delete from payment_events using wanted where payment_events.merchant_id = wanted.merchant_id
        and payment_events.payment_id = wanted.payment_id returning 1
    ), acknowledgements as (
      delete from payment_acknowledgements as gone using wanted where gone.merchant_id = wanted.merchant_id
        and gone.payment_id = wanted.payment_id returning 1
    )
    select (select count(*) from events)::integer as events,
      (select count(*) from acknowledgements)::integer as acknowledgements`,
})
