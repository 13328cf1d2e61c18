import { bigint, boolean, byName, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { SettlementStatus } from '../../../rules/money/settlement.ts'
import { ofMerchants } from '../store.ts'

const changing = {
  status: word<SettlementStatus>(),
  sequence: integer,
  secondPerson: boolean,
  draftedBy: nullable(text),
  approvedBy: nullable(text),
  externalReference: nullable(text),
  isProven: boolean,
  failure: nullable(text),
  failingBy: nullable(text),
  changedAt: instant,
}

const settlementRow = {
  merchantId: uuid,
  id: uuid,
  reference: text,
  currency: text,
  amount: bigint,
  destination: text,
  destinationId: nullable(uuid),
  requestedBy: nullable(text),
  createdAt: instant,
  ...changing,
}

const settlements = table('settlements', { merchantId: uuid, id: uuid })

export const insertSettlement = settlements.insert('insert_settlement', settlementRow)

export const updateSettlement = settlements.update('update_settlement', changing)

export const insertSettlementEvent = table('settlement_events', { merchantId: uuid, settlementId: uuid }).insert(
  'insert_settlement_event',
  { sequence: integer, status: word<SettlementStatus>(), actor: text, at: instant },
)

export const findBookedPayout = query('find_booked_payout_of_settlement', {
  parameters: { id: uuid },
  row: { requisiteId: uuid, id: uuid },
  text: `select requisite_id, id from outgoing_transfers
    where document_id = :id and purpose = 'settlement' and state = 'booked' limit 1`,
})

export const listSettlementEvents = table('settlement_events', { merchantId: uuid, settlementId: uuid }).select(
  'list_settlement_events',
  { sequence: integer, status: word<SettlementStatus>(), actor: text, at: instant },
  'order by sequence',
)

/** A balance below zero that a merchant has in another currency. */
export const findOtherDebt = query('find_debt_in_another_currency', {
  parameters: { merchantId: uuid, account: text, currency: text },
  row: { currency: text, debt: bigint },
  text: `select currency, balance as debt from ledger_balances
    where merchant_id = :merchantId and account = :account and currency <> :currency and balance > 0 limit 1`,
})

const ofId = settlements.findAndLock('settlement', settlementRow)

export const findSettlement = ofId.find
/** Excludes every other step of this settlement. */
export const lockSettlement = ofId.lock

export const findSettlementByReference = table('settlements', { merchantId: uuid, reference: text }).find(
  'find_settlement_by_reference',
  settlementRow,
)

/** Sums of an author's other settlements that needed nobody else, by the author's recent steps; failed ones count. */
export const selectOwnSum = query('sum_own_settlements_of_author', {
  parameters: { id: uuid, draftedBy: text, withDrafts: boolean, since: instant, until: instant },
  row: { currency: text, amount: bigint },
  text: `select currency, sum(amount)::bigint as amount from settlements
    where id <> :id and drafted_by = :draftedBy and not second_person
      and changed_at > :since and changed_at <= :until and exists (
        select from settlement_events as events
        where events.merchant_id = settlements.merchant_id and events.settlement_id = settlements.id
          and events.actor = :draftedBy and (events.status = 'approved' or :withDrafts and events.status = 'draft') and events.at > :since
          and events.at <= :until)
    group by currency`,
})

export const listRequested = query('list_requested_settlements', {
  parameters: { merchantId: uuid },
  row: { id: uuid },
  text: `select id from settlements where merchant_id = :merchantId and status = 'requested' order by id`,
})

/** How many settlements that a merchant asked for wait, and how much it has asked for in a currency since a time. */
export const sumRequested = query('sum_requested_settlements', {
  parameters: { merchantId: uuid, currency: text, since: instant, until: instant },
  row: { open: integer, amount: bigint },
  text: `select count(*) filter (where status = 'requested')::integer as open,
      coalesce(sum(amount) filter (where currency = :currency and status not in ('failed', 'canceled')
        and created_at > :since and created_at <= :until), 0)::bigint as amount
    from settlements where merchant_id = :merchantId and requested_by is not null`,
})

export const findSettlementByPayout = table('settlements', { merchantId: uuid, externalReference: text }).find(
  'find_settlement_by_payout',
  { id: uuid },
)

export const selectSettlements = settlements.page('list_settlements', settlementRow, {
  filter: { ...ofMerchants.filter, status: nullable(word<SettlementStatus>()) },
  where: `${ofMerchants.where} and (:status is null or status = :status)`,
})

export const findSettlementsByTyped = byName(
  'find_settlements',
  'settlements',
  { merchantId: uuid, id: uuid, reference: text, status: text, currency: text, amount: bigint },
  'settlements.reference = :typed',
)
