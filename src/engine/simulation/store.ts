import { bigint, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { SimulatedBooking } from '../../rules/sandbox/simulated-statement.ts'

const bookingRow = {
  requisiteId: uuid,
  id: uuid,
  merchantId: uuid,
  paymentId: uuid,
  currency: text,
  amount: bigint,
  kind: word<SimulatedBooking['kind']>(),
  text: nullable(text),
  reference: text,
  bookedAt: instant,
}

/** Books money that the simulated bank received, took back or sent; booking a step twice gives one booking. */
export const insertBooking = table('simulated_bookings', { requisiteId: uuid, id: uuid }).insertNew(
  'insert_simulated_booking',
  bookingRow,
)

/** The first money that the simulated bank received for a payment and has not taken back. */
export const findReceived = query('find_simulated_receipt', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: bookingRow,
  text: `select booked.:row from simulated_bookings as booked
    where booked.merchant_id = :merchantId and booked.payment_id = :paymentId
      and booked.kind = 'receipt'
      and not exists (select from simulated_bookings as others where others.requisite_id = booked.requisite_id
        and others.reference = booked.reference and others.kind = 'reversal')
    order by booked.id limit 1`,
})

/** Bookings of a span of time, for a merchant and requisite or for all, in the order of accounts and times. */
export const listBookings = query('list_simulated_bookings', {
  planned: 'each-time',
  parameters: {
    merchantId: nullable(uuid),
    requisiteId: nullable(uuid),
    since: instant,
    before: instant,
    limit: integer,
  },
  row: bookingRow,
  text: `select :row from simulated_bookings
    where booked_at >= :since and booked_at < :before and (:merchantId is null or merchant_id = :merchantId)
      and (:requisiteId is null or requisite_id = :requisiteId)
    order by requisite_id, booked_at, id limit :limit`,
})

/** What accounts held before a time, for a merchant's money or for all. */
export const sumBookings = query('sum_simulated_bookings', {
  planned: 'each-time',
  parameters: { merchantId: nullable(uuid) },
  rows: { requisiteId: uuid, before: instant },
  row: { requisiteId: uuid, balance: bigint },
  text: `select input.requisite_id, sum(case kind when 'receipt' then amount else -amount end)::bigint as balance
    from :rows join simulated_bookings as booked on booked.requisite_id = input.requisite_id
      and booked.booked_at < input.before and (:merchantId is null or booked.merchant_id = :merchantId)
    group by input.requisite_id`,
})
