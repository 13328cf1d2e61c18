/** The fields that differ between payments, each as SQL: a parameter, or an expression that generates a value. */
export type OnePayment = {
  readonly merchantId: string
  readonly requisiteId: string
  readonly id: string
  readonly orderId: string
  readonly userId: string
  readonly amount: string
  readonly ratePrice: string
  readonly total: string
}

/** The terms of all payments of the yardsticks. */
const termsId = '01985a00-0000-7000-8000-000000000001'

/** Writes the terms to which the payments refer; once per database. */
export const insertTerms = `insert into locked_terms (id, terms) values ('${termsId}', '{"timeToPayMs":3600000,"graceMs":900000,"lateWindowMs":86400000,"confirmDeadlineMs":7200000,"coolDownMs":3600000,"toleranceMinor":0,"mismatchPolicy":"credit-received","feePpm":15000,"minMinor":10000,"maxMinor":30000000}') on conflict do nothing`

/** Writes the three rows of each payment of `input`, as a team that knows PostgreSQL well would. */
const insertFrom = (input: string): string => `with input as (${input}), slot as (
    insert into slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    select requisite_id, amount, merchant_id, id, now(), now() + interval '25 hours' from input
    on conflict (requisite_id, amount) do nothing
    returning payment_id
  ), payment as (
    insert into payments (merchant_id, id, order_id, type, method, sbp_enabled, user_id, user_id_given, currency, amount,
      rate_price, rate_created_at, total, status, status_reason, sequence, received, requisite_id, requisite_shown,
      source_pan, terms_id, created_at, expired_at, due_at, changed_at)
    select merchant_id, id, order_id, 'direct', 'sbp', false, user_id, false, 'rub', amount,
      rate_price, now(), total, 'new', 'created', 1, 0, requisite_id, true,
      '', '${termsId}'::uuid, now(), now() + interval '1 hour', now() + interval '1 hour', now()
    from input join slot on slot.payment_id = input.id
    on conflict (merchant_id, order_id) do nothing
    returning merchant_id, id
  ), event as (
    insert into payment_events (merchant_id, payment_id, sequence, status, status_reason, trigger, actor, at)
    select merchant_id, id, 1, 'new', 'created', 'created', 'merchant', now() from payment
  )
  select id from payment`

/** One statement that writes one payment. */
export const insertOnePayment = (payment: OnePayment): string =>
  insertFrom(`select ${payment.merchantId}::uuid as merchant_id, ${payment.requisiteId}::uuid as requisite_id,
    ${payment.id}::uuid as id, ${payment.orderId}::text as order_id, ${payment.userId}::text as user_id,
    ${payment.amount}::bigint as amount, ${payment.ratePrice}::bigint as rate_price, ${payment.total}::bigint as total`)

/** One statement that writes a set of payments: an array for each field of `OnePayment`, in that order. */
export const insertManyPayments = insertFrom(`select *
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
    as each (merchant_id, requisite_id, id, order_id, user_id, amount, rate_price, total)`)
