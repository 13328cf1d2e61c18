import { array, bigint, columnsOf, instant, query, text, uuid } from 'payin-database'

/** A payment that holds, or held, an amount on a requisite. */
export const holderRow = {
  requisiteId: uuid,
  amount: bigint,
  merchantId: uuid,
  paymentId: uuid,
  takenAt: instant,
  heldUntil: instant,
}

const holderColumns = columnsOf(holderRow)
const holders = `(select ${holderColumns} from slots union all select ${holderColumns} from past_slots) as held`

const spans = { requisiteId: uuid, since: instant, until: instant }

export const selectHolders = query('list_slot_holders', {
  rows: spans,
  row: holderRow,
  text: `select held.:row
    from :rows join ${holders} on held.requisite_id = input.requisite_id
      and held.taken_at <= input.until and held.held_until > input.since`,
})

export const selectEqualHolders = query('list_equal_slot_holders', {
  rows: { ...spans, amount: bigint },
  row: holderRow,
  text: `select held.:row
    from :rows join ${holders} on held.requisite_id = input.requisite_id and held.amount = input.amount
      and held.taken_at <= input.until and held.held_until > input.since`,
})

/** Who held slots of requisites in spans of time and whose payer has given one of the numbers. */
export const selectHoldersOfPayers = query('list_slot_holders_of_payers', {
  rows: { ...spans, payerIndex: text, leastId: uuid },
  row: holderRow,
  text: `select distinct held.:row from :rows join payments on payments.payer_phone_index = input.payer_index
      and payments.id >= input.least_id
    cross join lateral (values (payments.requisite_id), (payments.switched_from)) as used (requisite_id)
    join ${holders} on held.requisite_id = used.requisite_id and held.amount = payments.amount
      and held.payment_id = payments.id
    where used.requisite_id = input.requisite_id and held.taken_at <= input.until and held.held_until > input.since`,
})

/** Who holds slots of requisites and has received a part of the money. */
export const selectPartlyPaidHolders = query('list_partly_paid_slot_holders', {
  parameters: { requisiteIds: array(uuid) },
  row: holderRow,
  text: `with partly as (
      select merchant_id, id, amount, requisite_id, switched_from from payments
        where requisite_id = any(:requisiteIds) and status = 'processing' and received > 0
      union
      select merchant_id, id, amount, requisite_id, switched_from from payments
        where switched_from = any(:requisiteIds) and status = 'processing' and received > 0
    )
    select held.:row from partly
    cross join lateral (values (partly.requisite_id), (partly.switched_from)) as used (requisite_id)
    join ${holders} on held.requisite_id = used.requisite_id and held.amount = partly.amount
      and held.payment_id = partly.id
    where used.requisite_id = any(:requisiteIds)`,
})
