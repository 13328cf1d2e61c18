import { countParameters, countRow, countText, scanParameters, scanRow, scanText } from '../../database/bounded-scan.ts'
import { array, bigint, boolean, nullable, query, text, uuid } from '../../database/query.ts'
import type { ListOrder } from '../../domain/scan.ts'

const filter = {
  merchantId: nullable(uuid),
  status: nullable(text),
  acknowledged: nullable(boolean),
  method: nullable(text),
  currency: nullable(text),
  requisiteIds: nullable(array(uuid)),
  amountFrom: nullable(bigint),
  amountTo: nullable(bigint),
  userId: nullable(text),
  payerDigits: nullable(text),
  unusual: nullable(text),
}

// Those in dispute and those that are not acknowledged have indexes; every other condition is met row by row.
const scanned = {
  owners: '(select id from merchants where :merchantId is null or id = :merchantId)',
  rows: 'payments',
  owner: 'payments.merchant_id',
  id: 'payments.id',
  where: `payments.merchant_id = owner.id
          and (:status is distinct from 'disput' or status = 'disput')
          and (:acknowledged is distinct from false
            or status in ('paid', 'disput-paid') and acknowledged_at is null)`,
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

const scan = (order: ListOrder) =>
  query(`list_${order}_payments`, {
    planned: 'each-time',
    parameters: { ...filter, ...scanParameters },
    row: scanRow,
    text: scanText(scanned, order),
  })

/** A page of payments that match a filter, by order; their owners are merchants. */
export const scanPayments = { newest: scan('newest'), oldest: scan('oldest') }

/** How many payments match a filter. */
export const countMatching = query('count_matching_payments', {
  planned: 'each-time',
  parameters: { ...filter, ...countParameters },
  row: countRow,
  text: countText(scanned),
})
