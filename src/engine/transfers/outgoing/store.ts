import { array, bigint, boolean, instant, nullable, query, table, text, uuid, word } from 'payin-database'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'
import type { OutgoingPurpose, OutgoingState } from '../../../rules/transfers/outgoing.ts'
import type { RulePurpose } from '../../../rules/transfers/outgoing-rule.ts'
import { hasPartOfKind } from '../store.ts'

const key = { requisiteId: uuid, id: uuid }

const reportRow = {
  ...key,
  currency: text,
  amount: bigint,
  givenBack: boolean,
  bookedAt: instant,
  /** Its day, such as `2026-01-31`, in the time zone of the account, if the bank reports no time. */
  bookedOn: nullable(text),
  source: text,
  channel: text,
  bankReference: nullable(text),
  referenceKind: nullable(text),
  payeeMasked: text,
  payeeIndex: nullable(text),
  detailsSealed: text,
  /** The outgoing transfer whose money it is, or may be. */
  duplicateOf: nullable(uuid),
}

/**
 * While it is unexplained, what one operator, `decidedBy`, proposes: the purpose; without one, that it returned the
 * money of a payment or document; without these, too, that it is the same money as `duplicateOf`.
 */
const decisionRow = {
  state: word<OutgoingState>(),
  purpose: nullable(word<OutgoingPurpose>()),
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
  documentId: nullable(uuid),
  reason: nullable(text),
  /** Both, if it took two; with `service`, the operator who would unbook what the service has booked. */
  decidedBy: nullable(text),
  decidedAt: nullable(instant),
}

const outgoingRow = { ...reportRow, recordedAt: instant, ...decisionRow }

export type StoredOutgoing = ReturnType<typeof findOutgoingRow.decode>

/** Excludes everyone else who records or explains outgoing money, so that nothing is booked twice. */
export const lockOutgoing = query('lock_outgoing_transfers', {
  text: `lock table outgoing_transfers in share row exclusive mode`,
})

export const listOutgoingByKey = query('list_outgoing_transfers_by_key', {
  rows: { requisiteId: uuid, dedupeKey: text },
  row: { requisiteId: uuid, dedupeKey: text, id: uuid },
  // A range in index order, so that no kept plan uses another index that begins with the requisite.
  text: `select input.requisite_id, input.dedupe_key, known.outgoing_id as id from :rows
    cross join lateral (select outgoing_id from outgoing_keys as each where each.requisite_id = input.requisite_id
        and each.dedupe_key between input.dedupe_key and input.dedupe_key
      order by each.requisite_id, each.dedupe_key limit 1) as known`,
})

export const insertOutgoing = query('insert_outgoing_transfers', {
  parameters: { recordedAt: instant },
  rows: reportRow,
  text: `insert into outgoing_transfers (:columns, state, recorded_at)
    select :columns, 'unexplained', :recordedAt from :rows`,
})

export const insertOutgoingKeys = table('outgoing_keys', {}).insertAll(
  'insert_outgoing_keys',
  {
    ...{ requisiteId: uuid, dedupeKey: text, outgoingId: uuid, channel: text },
    ...{ likeness: nullable(text), source: text },
  },
  { isOnce: true },
)

const outgoingTransfers = table('outgoing_transfers', key)

export const findOutgoingRow = outgoingTransfers.find('find_outgoing_transfer', outgoingRow)

export const selectOutgoing = outgoingTransfers.page('list_outgoing_transfers', outgoingRow, {
  filter: {
    state: nullable(word<OutgoingState>()),
    purpose: nullable(word<OutgoingPurpose>()),
    requisiteId: nullable(uuid),
    source: nullable(text),
  },
  where: `(:state is null or state = :state) and (:purpose is null or (purpose = :purpose and state = 'booked'))
      and (:requisiteId is null or requisite_id = :requisiteId) and (:source is null or source = :source)`,
})

const announcedRow = {
  id: uuid,
  /** The requisite on which the ledger booked it. */
  requisiteId: uuid,
  amount: bigint,
  bookedAt: instant,
  merchantId: nullable(uuid),
  paymentId: nullable(uuid),
  /** Who reported it; null if an operator recorded it. */
  channel: nullable(text),
  purpose: word<'refund' | 'reversal'>(),
  /** Who recorded the refund, or named the transfer of the reversal. */
  decidedBy: text,
}

/** Refunds and reversals of these amounts that the ledger has taken, without an outgoing transfer booked to them. */
export const listAnnounced = query('list_announced_outgoing_money', {
  parameters: { requisiteIds: array(uuid), amounts: array(bigint), since: instant, until: instant },
  row: announcedRow,
  text: `select refunds.id, refunds.requisite_id, refunds.amount, refunds.booked_at, refunds.merchant_id, refunds.payment_id,
      null as channel, 'refund' as purpose, refunds.decided_by
    from unnest(:requisiteIds) as requisite (id) cross join unnest(:amounts) as wanted (amount)
    cross join lateral (
      -- A range in the order of an index, so that no kept plan reads all refunds of the requisite.
      select * from overpayment_decisions as each
      where each.requisite_id = requisite.id and each.amount between wanted.amount and wanted.amount
        and each.booked_at between :since and :until and each.reversed_at is null
      order by each.amount, each.booked_at limit 10000
    ) as refunds
    where not exists (select from outgoing_transfers as carried
      where carried.document_id = refunds.id and carried.purpose = 'refund')
    union all
    select id, requisite_id, amount, booked_at, null, null, channel, 'reversal', coalesce(resolved_by, source)
    from transfer_reversals as announced
    where requisite_id = any(:requisiteIds) and amount = any(:amounts) and booked_at between :since and :until
      and transfer_id is not null
      and not exists (select from outgoing_transfers as carried
        where carried.document_id = announced.id and carried.purpose = 'reversal')
    order by booked_at, id`,
})

export const listUnexplained = query('list_unexplained_outgoing_transfers', {
  parameters: { requisiteIds: array(uuid), amount: bigint, since: instant, until: instant },
  row: outgoingRow,
  text: `select :row from outgoing_transfers
    where requisite_id = any(:requisiteIds) and amount between :amount and :amount and booked_at between :since and :until
      and state = 'unexplained' and not given_back
    order by booked_at, id limit 1000`,
})

/** Unexplained money of an amount that left any account of a mode and currency since a time. */
export const listUnexplainedAnywhere = query('list_unexplained_outgoing_transfers_of_mode', {
  parameters: { mode: word<MerchantMode>(), currency: text, amount: bigint, since: instant },
  row: outgoingRow,
  text: `select :row from (
      select found.* from requisites cross join lateral (
        select * from outgoing_transfers as each where each.requisite_id = requisites.id
          and each.amount between :amount and :amount and each.booked_at >= :since
          and each.state = 'unexplained' and not each.given_back
        order by each.amount, each.booked_at limit 1000
      ) as found
      where requisites.mode = :mode and requisites.currency = :currency
    ) as unexplained order by booked_at, id`,
})

export const listStillWaiting = query('list_still_waiting_outgoing_transfers', {
  rows: key,
  row: { ...key, purpose: nullable(word<OutgoingPurpose>()), decidedBy: nullable(text) },
  text: `select each.requisite_id, each.id, each.purpose, each.decided_by from :rows
    join outgoing_transfers as each on each.requisite_id = input.requisite_id and each.id = input.id
    where each.state = 'unexplained' and each.duplicate_of is null
      and not exists (select from statements
        where statements.state = 'withdrawing' and each.source = 'statement:' || statements.id)`,
})

export const undecided = {
  ...{ purpose: null, merchantId: null, paymentId: null, documentId: null },
  ...{ reason: null, decidedBy: null, decidedAt: null },
} as const

/** Writes what outgoing transfers are and were for; while they are unexplained, as a proposal (see `decisionRow`). */
export const markDecided = outgoingTransfers.updateAll('decide_outgoing_transfers', decisionRow)

/** Records who still says what outgoing money is, and who would take that back. */
export const noteDeciders = outgoingTransfers.update('note_deciders_of_outgoing_transfer', {
  decidedBy: text,
})

/** What an operator alone has explained of real money since a time, by currency, but for what arrived elsewhere. */
export const sumExplainedAlone = query('sum_outgoing_transfers_explained_alone', {
  parameters: { decidedBy: text, since: instant, until: instant },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from outgoing_transfers
    where decided_by = :decidedBy and decided_at > :since and decided_at <= :until and not given_back
      and requisite_id in (select id from requisites where mode = 'live')
      and (state = 'duplicate' or state = 'booked' and purpose in ('fee', 'settlement', 'other')
        or state = 'booked' and purpose = 'own-account' and exists (
        select from transfers where transfers.id = document_id and transfers.reported_by = outgoing_transfers.decided_by))
    group by currency`,
})

/**
 * What an operator alone has confirmed as returned of real money since a time, or the service as the operator's refund,
 * or as the reversal that only this one has reported; also if the operator would unbook it since.
 */
export const listConfirmedAlone = query('list_outgoing_transfers_confirmed_alone', {
  parameters: { decidedBy: text, since: instant, until: instant },
  row: outgoingRow,
  text: `select :row from outgoing_transfers
    where (decided_by = :decidedBy or (decided_by = 'service' or decided_by like 'service, %') and (
        document_id in (select id from overpayment_decisions as decisions
          where decisions.decided_by = :decidedBy and decisions.merchant_id = outgoing_transfers.merchant_id)
        or exists (select from requisites join transfer_reversals as announced on announced.requisite_id = requisites.id
          where requisites.mode = 'live' and announced.id = outgoing_transfers.document_id and announced.channel is null
            and coalesce(announced.resolved_by, announced.source) = :decidedBy)))
      and decided_at > :since and decided_at <= :until and state = 'booked' and purpose in ('refund', 'reversal')
      and requisite_id in (select id from requisites where mode = 'live')`,
})

export const deleteOutgoingKeys = query('delete_outgoing_keys', {
  rows: key,
  text: `delete from outgoing_keys using (select * from :rows) as input
    where outgoing_keys.requisite_id = input.requisite_id and outgoing_keys.outgoing_id = input.id`,
})

/** The outgoing transfers that no operator has decided about, but by a rule; `bookedOn` is the requisite of the earlier announcement. */
export const listOutgoingUndecided = query('list_undecided_outgoing_transfers', {
  rows: key,
  row: {
    ...{ ...key, currency: text, amount: bigint, givenBack: boolean, isDuplicate: boolean, bookedOn: nullable(uuid) },
    /** The purpose to which a rule has booked it. */
    purpose: nullable(word<RulePurpose>()),
  },
  text: `select each.requisite_id, each.id, each.currency, each.amount, each.given_back,
      each.state = 'duplicate' as is_duplicate, coalesce(decisions.requisite_id, reversals.requisite_id) as booked_on,
      case when each.state = 'booked' and each.purpose in ('fee', 'other') then each.purpose end as purpose
    from :rows
    join outgoing_transfers as each on each.requisite_id = input.requisite_id and each.id = input.id
    left join overpayment_decisions as decisions
      on each.purpose = 'refund' and decisions.merchant_id = each.merchant_id and decisions.id = each.document_id
    left join transfer_reversals as reversals
      on each.purpose = 'reversal' and reversals.id = each.document_id
    where each.state = 'unexplained' or (each.state = 'duplicate' and each.decided_by = 'service')
      or (each.state = 'booked' and each.purpose in ('fee', 'other') and each.document_id is not null)
      or (each.state = 'booked' and (each.decided_by = 'service' or each.decided_by like 'service, %')
      and each.purpose <> 'refund-reversal' and not exists (select from outgoing_transfers as back
        where back.purpose = 'refund-reversal' and back.document_id = each.id))`,
})

export const findOutgoingBeingWithdrawn = query('find_outgoing_transfer_being_withdrawn', {
  parameters: key,
  row: { statementId: uuid },
  text: `select statements.id as statement_id from statement_rows as brought
    join statements on statements.id = brought.statement_id and statements.state = 'withdrawing'
    where brought.requisite_id = :requisiteId and brought.transfer_id = :id and brought.added
      and brought.kind like 'outgoing%' limit 1`,
})

/** Where an announced refund or reversal was booked; `isMade`: booking this outgoing transfer recorded it. */
export const findCarriedOut = query('find_document_of_outgoing_transfer', {
  parameters: key,
  row: { requisiteId: nullable(uuid), isMade: boolean, isGivenBack: boolean },
  text: `select coalesce(decisions.requisite_id, reversals.requisite_id) as requisite_id,
      coalesce(decisions.reference, reversals.dedupe_key) = 'outgoing:' || outgoing.id as is_made,
      exists (select from outgoing_transfers as back
        where back.purpose = 'refund-reversal' and back.document_id = outgoing.id) as is_given_back
    from outgoing_transfers as outgoing
    left join overpayment_decisions as decisions on outgoing.purpose = 'refund'
      and decisions.merchant_id = outgoing.merchant_id and decisions.id = outgoing.document_id
    left join transfer_reversals as reversals on outgoing.purpose = 'reversal' and reversals.id = outgoing.document_id
    where outgoing.requisite_id = :requisiteId and outgoing.id = :id`,
})

/** Transfers of an amount that came in on other accounts in a span, belong to no payment and are not paired yet. */
export const listArrivedElsewhere = query('list_transfers_arrived_on_other_accounts', {
  parameters: { requisiteIds: array(uuid), currency: text, amount: bigint, since: instant, until: instant },
  row: { ...key, bookedAt: instant, isWaiting: boolean },
  text: `select found.requisite_id, found.id, found.booked_at, ${hasPartOfKind(`= 'suspense'`, 'found')} as is_waiting
    from requisites cross join lateral (
      select * from transfers as each where each.requisite_id = requisites.id
        and each.amount between :amount and :amount and each.booked_at between :since and :until
        and each.dedupe_key not like 'withdrawn:%' and not ${hasPartOfKind(`not in ('suspense', 'ignored')`, 'each')}
        and not exists (select from outgoing_transfers as sent
          where sent.purpose = 'own-account' and sent.document_id = each.id)
      order by each.amount, each.booked_at limit 1000
    ) as found
    where requisites.id <> all(:requisiteIds) and requisites.currency = :currency
      and requisites.mode = any(select mode from requisites as own where own.id = any(:requisiteIds))
    order by found.booked_at, found.id limit 1000`,
})

export const findSentAs = query('find_outgoing_transfer_of_transfer', {
  parameters: { transferId: uuid },
  row: { id: uuid },
  text: `select id from outgoing_transfers where purpose = 'own-account' and document_id = :transferId`,
})
