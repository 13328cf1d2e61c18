import {
  array,
  bigint,
  boolean,
  byAmountIn,
  byTime,
  listQueries,
  nullable,
  scanText,
  sortText,
  text,
  uuid,
  word,
} from 'payin-database'
import type { PaymentStatus, unusualPayments } from '../../../rules/payments/payment.ts'
import type { PaymentMethod } from '../../../rules/values/payment-method.ts'

const filter = {
  merchantId: nullable(uuid),
  status: nullable(word<PaymentStatus>()),
  acknowledged: nullable(boolean),
  method: nullable(word<PaymentMethod>()),
  currency: nullable(text),
  requisiteIds: nullable(array(uuid)),
  /** Minor units, inclusive. */
  amountFrom: nullable(bigint),
  amountTo: nullable(bigint),
  userId: nullable(text),
  /** The last four digits of the payer's number. */
  payerDigits: nullable(text),
  unusual: nullable(word<(typeof unusualPayments)[number]>()),
  linkId: nullable(uuid),
}

const isOwn = 'payments.merchant_id = owner.id'
const isUnacknowledged = `status in ('paid', 'disput-paid') and acknowledged_at is null`

// Payments in dispute, unacknowledged payments and those of a link have indexes; every other condition is checked row
// by row.
const scanned = {
  owners: '(select id from merchants where :merchantId is null or id = :merchantId)',
  rows: 'payments',
  owner: 'payments.merchant_id',
  id: 'payments.id',
  where: `${isOwn}
          and (:status is distinct from 'disput' or status = 'disput')
          and (:acknowledged is distinct from false or ${isUnacknowledged})
          and (:linkId is null or link_id = :linkId)`,
  matches: `(:status is null or status = :status)
          and (:acknowledged is distinct from true or status in ('paid', 'disput-paid') and acknowledged_at is not null)
          and (:method is null or method = :method)
          and (:currency is null or currency = :currency)
          and (:requisiteIds is null or requisite_id = any(:requisiteIds) or switched_from = any(:requisiteIds))
          and (:amountFrom is null or amount >= :amountFrom)
          and (:amountTo is null or amount <= :amountTo)
          and (:userId is null or user_id = :userId)
          and (:payerDigits is null or source_pan <> '' and right(source_pan, 4) = :payerDigits)
          and case :unusual
            when 'amount' then received > 0 and received <> amount
            when 'late' then status_reason = 'late'
            when 'disputed' then status in ('disput', 'disput-paid')
            else true end`,
}

// Sorted by amount, the conditions on disputes and acknowledgements are checked row by row, too.
const scannedByAmount = {
  ...scanned,
  where: `${isOwn} and currency = :currency
          and (:amountFrom is null or amount >= :amountFrom) and (:amountTo is null or amount <= :amountTo)`,
  matches: `(:linkId is null or link_id = :linkId) and (:acknowledged is distinct from false or ${isUnacknowledged}) and ${scanned.matches}`,
}

const { scan, count } = listQueries(filter)
const byAmount = byAmountIn('payments.amount')

/** A page of payments that match a filter, for each sort order; owners are merchants. */
export const scanPayments = {
  newest: scan('list_newest_payments', scanText(scanned, byTime('newest'))),
  oldest: scan('list_oldest_payments', scanText(scanned, byTime('oldest'))),
  amount: scan('list_smallest_payments', scanText(scannedByAmount, byAmount.amount)),
  '-amount': scan('list_largest_payments', scanText(scannedByAmount, byAmount['-amount'])),
}

/** The same sorted by amount, for filters whose index leaves few payments. */
export const sortPayments = {
  amount: scan('sort_smallest_payments', sortText(scanned, byAmount.amount)),
  '-amount': scan('sort_largest_payments', sortText(scanned, byAmount['-amount'])),
}

/** How many payments match a filter. */
export const countMatching = count('count_matching_payments', scanned)
