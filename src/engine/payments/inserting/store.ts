import { heldUntil, holdsUnpaid, keepFormer, slotFree, slotHeld, takeOver, writeShared } from '../../held-slots.ts'
import { array, boolean, columnsOf, instant, integer, marksOf, nullable, query, uuid } from 'payin-database'
import { created, lockedTerms } from '../store.ts'

const createdWithTerms = { ...created, termsId: uuid }
const createdColumns = columnsOf(createdWithTerms)
const heldSlot = 'requisite_id, amount, merchant_id, payment_id, taken_at, held_until, shares'
const insertedColumns = `${createdColumns}, sole_requisite_id, status, status_reason, sequence, received, source_pan,
  due_at, changed_at`
const eventColumns = 'merchant_id, payment_id, sequence, status, status_reason, trigger, actor, at'

const ofNewOrders = `select * from input where not exists (
        select from payments where payments.merchant_id = input.merchant_id and payments.order_id = input.order_id offset 0)`
const sharedTermsOfSet = `shared as (
      insert into locked_terms (id, terms) select id, terms from unnest(:sharedIds, :sharedTerms) as each (id, terms)
      order by id on conflict do nothing
    )`
const paymentsOfSlots = `payment as (
      insert into payments (${insertedColumns})
      select ${createdColumns}, case when is_sole then requisite_id end, 'new', 'created', 1, 0, '', expired_at, created_at
      from fresh where (id in (select payment_id from slot)) is true order by merchant_id, order_id
      returning merchant_id, id, created_at
    ), event as (
      insert into payment_events (${eventColumns})
      select merchant_id, id, 1, 'new', 'created', 'created', 'merchant', created_at from payment
    )`

const newPayment = { ...createdWithTerms, isSole: boolean, heldUntil: instant, shares: boolean }

/**
 * Creates payments with their slots, their first events and their shared terms, in one statement; returns the created
 * ones. Rows are left out if their orderId exists, if another payment holds their slot, or if they must be the sole
 * open payment of a requisite that already has one. If another node is inserting the same orderId or sole payment at
 * that moment, a unique index is violated: the statement is rolled back and run again.
 *
 * `offset 0` and `is true` keep parts of it from becoming joins. PostgreSQL would plan those once, for empty tables:
 * quadratic in the number of rows, or along an index of all of a merchant's payments.
 */
export const insertPayments = query('insert_payments', {
  parameters: { sharedIds: array(uuid), sharedTerms: array(lockedTerms) },
  rows: newPayment,
  row: { id: uuid },
  races: ['payments_order_once', 'payments_sole'],
  text: `with input as (select :columns from :rows), fresh as (
      ${ofNewOrders}
        and not (input.is_sole and exists (
          select from payments where payments.requisite_id = input.requisite_id
            and payments.status in ('new', 'processing') offset 0))
    ), ${sharedTermsOfSet}, archived as (
      insert into past_slots (${heldSlot}) select former.* from fresh cross join lateral (
        select ${heldSlot} from slots where slots.requisite_id = fresh.requisite_id and slots.amount = fresh.amount
          and ${slotFree('fresh.created_at')} offset 0
      ) as former ${keepFormer}
    ), slot as (
      insert into slots (${heldSlot})
      select requisite_id, amount, merchant_id, id, created_at, held_until, shares from fresh order by requisite_id, amount ${takeOver}
    ), ${paymentsOfSlots}
    select id from payment`,
})

/**
 * As `insertPayments`, for payments that share their slot with its holder: each becomes a further holder. Rows are also
 * left out if nobody holds the amount any more, or if its holders do not share it.
 */
export const insertSharers = query('insert_sharing_payments', {
  parameters: { sharedIds: array(uuid), sharedTerms: array(lockedTerms), now: instant },
  rows: newPayment,
  row: { id: uuid },
  races: ['payments_order_once'],
  text: `with input as (select :columns from :rows), fresh as (
      ${ofNewOrders}
    ), ${sharedTermsOfSet}, shareable as (
      ${writeShared('select requisite_id, amount from fresh', slotHeld(':now'))}
    ), slot as (
      insert into past_slots (${heldSlot})
      select requisite_id, amount, merchant_id, id, created_at, held_until, shares from fresh
      where (requisite_id, amount) in (select requisite_id, amount from shareable) and shares
      returning payment_id
    ), ${paymentsOfSlots}
    select id from payment`,
})

/**
 * Does for one payment what `insertPayments` does for a set, in two thirds of the time: it sorts nothing and unnests no
 * arrays (docs/decisions/0007-group-commit.md). `fresh` has a column because Citus reads nothing without one.
 */
export const insertPayment = query('insert_payment', {
  parameters: { ...newPayment, terms: lockedTerms },
  row: { id: uuid },
  races: ['payments_order_once', 'payments_sole'],
  text: `with fresh as (
      select true as is_fresh where not exists (
          select from payments where merchant_id = :merchantId and order_id = :orderId)
        and not (:isSole and exists (
          select from payments where requisite_id = :requisiteId and status in ('new', 'processing')))
    ), shared as (
      insert into locked_terms (id, terms) values (:termsId, :terms) on conflict do nothing
    ), archived as (
      insert into past_slots (${heldSlot}) select ${heldSlot} from slots
      where requisite_id = :requisiteId and amount = :amount and ${slotFree(':createdAt')} and exists (select from fresh)
      ${keepFormer}
    ), slot as (
      insert into slots (${heldSlot})
      select :requisiteId, :amount, :merchantId, :id, :createdAt, :heldUntil, :shares from fresh ${takeOver}
    ), payment as (
      insert into payments (${insertedColumns})
      select ${marksOf(createdWithTerms)}, case when :isSole then :requisiteId end, 'new', 'created', 1, 0, '',
        :expiredAt, :createdAt from slot
      returning id
    ), event as (
      insert into payment_events (${eventColumns})
      select :merchantId, :id, 1, 'new', 'created', 'created', 'merchant', :createdAt from payment
    )
    select id from payment`,
})

/** How many unpaid ones of a merchant's payments hold an amount, and when the first hold ends. */
export const countHeld = query('count_held_payments', {
  parameters: { merchantId: uuid, ids: array(uuid), now: instant },
  row: { held: integer, endsAt: nullable(instant) },
  text: `select count(*)::integer as held, min(held.until) as ends_at from payments cross join ${heldUntil}
    where payments.merchant_id = :merchantId and payments.id = any(:ids) and ${holdsUnpaid}`,
})
