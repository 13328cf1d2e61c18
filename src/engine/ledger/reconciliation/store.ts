import {
  array,
  bigint,
  boolean,
  given,
  instant,
  integer,
  nullable,
  query,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import type { MovementKind } from '../../../rules/money/reconciliation.ts'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'

export const findBankDay = query('find_bank_day', {
  parameters: { requisiteId: uuid },
  row: { currency: text, utcOffsetMinutes: integer },
  text: `select currency, (limits ->> 'utcOffsetMinutes')::integer as utc_offset_minutes from requisites
    where id = :requisiteId`,
})

/** Stores a closing balance from a statement or an operator; replaces the one that the same has brought before. */
export const upsertClosingBalance = table('closing_balances', {
  requisiteId: uuid,
  /** `2026-01-31`, in the bank's time zone. */
  day: text,
  statementId: uuid,
  /** Who alone says so; '' for a statement that is not lone. */
  reportedBy: text,
}).upsert('upsert_closing_balance', {
  endsAt: instant,
  currency: text,
  balance: bigint,
  /** Its source, such as the name of a statement. */
  source: text,
  recordedAt: instant,
})

/** The last closing balances of a requisite before a time: of other statements, and of each who alone has said one. */
export const listClosingsBefore = query('list_closing_balances_before', {
  parameters: { requisiteId: uuid, statementId: uuid, before: instant },
  row: { balance: bigint },
  text: `select distinct on (reported_by) balance from closing_balances
    where requisite_id = :requisiteId and statement_id <> :statementId and ends_at <= :before
    order by reported_by, ends_at desc`,
})

export const deleteClosingBalances = query('delete_closing_balances', {
  parameters: { statementId: uuid, onlyLone: boolean },
  text: `delete from closing_balances
    where statement_id = :statementId and (not :onlyLone or reported_by <> '')`,
})

/** Takes the place of a statement's id in balances that an operator entered. */
export const byHand = '00000000-0000-0000-0000-000000000000'

const carried = (name: string, purpose: string): string => `exists (select from outgoing_transfers as carried
          where carried.document_id = ${name}.id and carried.purpose = '${purpose}')`

/**
 * Refunds that operators have decided, and reversals that one has announced and nobody else agrees on, until the bank
 * reports them.
 */
const announcements = {
  refund: { from: 'overpayment_decisions', where: 'reversed_at is null', saidAt: 'decided_at' },
  reversal: {
    from: 'transfer_reversals',
    where: `dedupe_key like 'operator:%' and transfer_id is not null and resolved_at is null`,
    saidAt: 'recorded_at',
  },
}

/** What an account's bank had not reported at the end of a day, however far back somebody has dated it. */
const notReported = (what: keyof typeof announcements): string => {
  const { from, where, saidAt } = announcements[what]
  return `(select *, greatest(booked_at, ${saidAt}) as said_at from ${from}
        where requisite_id = closings.requisite_id and booked_at < closings.ends_at and ${where}
          and not ${carried(from, what)}) as announced`
}
/** For a week the bank's row is taken for one. */
const isInTransit = `announced.said_at >= closings.ends_at - interval '7 days'`
const isOverdue = `announced.said_at < closings.ends_at - interval '7 days'
        and exists (select from closing_balances as earlier where earlier.requisite_id = closings.requisite_id
          and earlier.ends_at <= announced.said_at + interval '1 day' and earlier.statement_id <> '${byHand}')`

/**
 * What a bank booked on the account of a requisite in a span, by kind; money in is positive, money out negative. Only the
 * ledger has what is not `reported`: decided refunds, and reversals that one operator has announced.
 */
const bookedOn = (requisite: string, span: string, firstId: string): string => `
      select 'transfers' as kind, amount, id, id as transfer_id, booked_at, bank_reference as reference, true as reported
      from transfers
      where requisite_id = ${requisite} and id >= ${firstId} and ${span} and dedupe_key not like 'withdrawn:%'
        and not (duplicate_of is not null and exists (select from (select parts.kind from transfer_parts as parts
          where parts.requisite_id = transfers.requisite_id and parts.transfer_id between transfers.id and transfers.id
            and parts.kind = 'duplicate' and parts.replaced_at is null
          order by parts.requisite_id, parts.transfer_id limit 1) as own))
      union all
      select case when given_back then 'given-back' else 'outgoing' end, case when given_back then amount else -amount end,
        id, null, booked_at, bank_reference, true
      from outgoing_transfers where requisite_id = ${requisite} and ${span} and state not in ('duplicate', 'withdrawn')
      union all
      select 'reversals', -amount, id, transfer_id, booked_at, bank_reference,
        dedupe_key not like 'operator:%' or resolved_at is not null
      from transfer_reversals
      where requisite_id = ${requisite} and ${span} and transfer_id is not null
        and not ${carried('transfer_reversals', 'reversal')}
      union all
      select 'refunds', -amount, id, null, booked_at, null, false from overpayment_decisions
      where requisite_id = ${requisite} and ${span} and reversed_at is null
        and not ${carried('overpayment_decisions', 'refund')}
      union all
      select 'adjustments', case when debit_account = 'bank:' || ${requisite} then amount else -amount end,
        id, null, booked_at, reference, true
      from ledger_adjustments where 'bank:' || ${requisite} in (debit_account, credit_account) and status = 'posted'
        and ${span}`

// Transfers that were booked later are also recorded later, so their ids are greater than the smallest one at the end of
// the day.
const firstIdThen = `(lpad(to_hex((extract(epoch from closings.ends_at) * 1000)::bigint - 600000), 12, '0')
        || repeat('0', 20))::uuid`

/** The ledger's balance is the current one less what the bank booked after the day. */
const heldThen = `(coalesce(held.balance, 0) - coalesce(since.amount, 0))::bigint as ledger,
      (coalesce(doubtful.amount, 0) - coalesce(doubtful_out.amount, 0))::bigint as possible_duplicates,
      coalesce(unreported.amount, 0)::bigint as unproven,
      coalesce(unsent.in_transit, 0)::bigint as in_transit, coalesce(unsent.overdue, 0)::bigint as overdue,
      coalesce(unsent.announced, 0)::bigint as announced`

/** For each row of `closings` (a requisite with its currency and the end of a day): the values that `heldThen` uses. */
const sinceThen = `cross join lateral (select sum(balance) as balance from ledger_balances
      where account = 'bank:' || closings.requisite_id and account like 'bank:%' and currency = closings.currency) as held
    cross join lateral (select sum(amount) as amount from (
        ${bookedOn('closings.requisite_id', 'booked_at >= closings.ends_at', firstIdThen)}) as booked) as since
    cross join lateral (select sum(parts.amount) as amount from transfers
      join transfer_parts as parts on parts.requisite_id = transfers.requisite_id
        and parts.transfer_id = transfers.id and parts.kind = 'suspense' and parts.replaced_at is null
      where transfers.requisite_id = closings.requisite_id and transfers.duplicate_of is not null
        and transfers.booked_at < closings.ends_at) as doubtful
    cross join lateral (select sum(parts.amount - parts.reversed_amount) as amount from transfers
      join transfer_parts as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
        and parts.kind <> 'reversed' and parts.replaced_at is null
      where transfers.requisite_id = closings.requisite_id and transfers.unproven
        and transfers.booked_at < closings.ends_at) as unreported
    cross join lateral (select sum(case when given_back then -amount else amount end) as amount from outgoing_transfers
      where requisite_id = closings.requisite_id and state = 'unexplained' and duplicate_of is not null
        and booked_at < closings.ends_at) as doubtful_out
    cross join lateral (select sum(amount) filter (where ${isInTransit}) as in_transit,
        sum(amount) filter (where ${isOverdue}) as overdue, sum(amount) as announced
      from (select amount, said_at from ${notReported('refund')} union all
        select amount, said_at from ${notReported('reversal')}) as announced) as unsent`

const heldRow = {
  ledger: bigint,
  /** The share of `ledger` that waits in the inbox because it may be a duplicate. */
  possibleDuplicates: bigint,
  /** The share of `ledger` that only phones have reported. */
  unproven: bigint,
  /** Refunds and reversals of a week that have left `ledger`, and that the bank has not reported yet; and older ones. */
  inTransit: bigint,
  overdue: bigint,
  /** All that has left `ledger`, and that the bank has not reported, however old. */
  announced: bigint,
}

/**
 * Closing balances of a requisite or of all, the latest days first, next to the ledger's at the end of the day. A
 * balance that was reported before its day had ended counts until that day is reported again, by the same person if only
 * one says so. Days that ended before
 * the opening balance are left out: their movements are not recorded.
 */
export const selectReconciliations = query('list_reconciliations', {
  planned: 'each-time',
  parameters: {
    requisiteId: nullable(uuid),
    mode: word<MerchantMode>(),
    day: nullable(text),
    /** Whether to leave out days of an account after which the same source has reported another one. */
    onlyLast: boolean,
    limit: integer,
  },
  row: {
    requisiteId: uuid,
    day: text,
    currency: text,
    closing: bigint,
    ...heldRow,
    statementId: nullable(uuid),
    source: text,
    recordedAt: instant,
    reportedBy: nullable(text),
  },
  text: `select closings.requisite_id, closings.day, closings.currency, closings.balance as closing,
      ${heldThen},
      nullif(closings.statement_id, '${byHand}') as statement_id, closings.source,
      closings.recorded_at, nullif(closings.reported_by, '') as reported_by
    from (
      select * from closing_balances as said where (requisite_id = :requisiteId
          or (:requisiteId is null and requisite_id in (select id from requisites where mode = :mode)))
        and (:day is null or day = :day)
        and (recorded_at >= ends_at or not exists (select from closing_balances as later
          where later.requisite_id = said.requisite_id and later.day = said.day
            and later.recorded_at > said.recorded_at
            and later.reported_by in ('', said.reported_by)))
        and not (:onlyLast and exists (select from closing_balances as newer
          where newer.requisite_id = said.requisite_id and newer.day > said.day
            and newer.reported_by = said.reported_by))
        and not exists (select from opening_balances as opened
          where opened.requisite_id = said.requisite_id and opened.begins_at > said.ends_at)
      order by day desc, requisite_id, statement_id limit :limit
    ) as closings
    ${sinceThen}
    order by closings.day desc, closings.requisite_id, closings.statement_id`,
})

export const findHeldAt = query('find_held_at', {
  planned: 'each-time',
  parameters: { requisiteId: uuid, currency: text, at: instant },
  row: heldRow,
  text: `select ${heldThen}
    from (select :requisiteId as requisite_id, :currency as currency, :at as ends_at) as closings
    ${sinceThen}`,
})

const fromInTransit = (what: keyof typeof announcements): string => `
    from (select :requisiteId as requisite_id, :at as ends_at) as closings
    join lateral (select * from ${notReported(what)} where ${isInTransit} or ${isOverdue}) as announced on true`

/** Decided refunds in transit on an account at a time, and overdue ones, the oldest first. */
export const listRefundsInTransit = query('list_refunds_in_transit', {
  parameters: { requisiteId: uuid, at: instant, limit: integer },
  row: { merchantId: uuid, paymentId: uuid, orderId: text, reference: text, amount: bigint, bookedAt: instant },
  text: `select announced.merchant_id, announced.payment_id, order_id, reference, announced.amount, announced.booked_at
    ${fromInTransit('refund')}
    join payments on payments.merchant_id = announced.merchant_id and payments.id = announced.payment_id
    order by announced.booked_at limit :limit`,
})

/** As `listRefundsInTransit`, reversals that operators have announced. */
export const listReversalsInTransit = query('list_reversals_in_transit', {
  parameters: { requisiteId: uuid, at: instant, limit: integer },
  row: { transferId: uuid, amount: bigint, bookedAt: instant, announcedBy: text },
  text: `select transfer_id, amount, booked_at, source as announced_by
    ${fromInTransit('reversal')}
    order by booked_at limit :limit`,
})

/** What a bank booked on an account in a span, by kind, according to the ledger. */
export const sumBooked = query('sum_booked_movements', {
  planned: 'each-time',
  parameters: { requisiteId: uuid, from: instant, to: instant, firstId: uuid },
  row: { kind: word<MovementKind>(), count: integer, amount: bigint },
  text: `select kind, count(*)::integer as count, sum(amount)::bigint as amount from (
      ${bookedOn(':requisiteId', 'booked_at >= :from and booked_at < :to', ':firstId')}
    ) as booked group by kind order by kind`,
})

/** What a bank has booked on an account in a span, in the order of booking, with what it said about the other side. */
export const listBooked = query('list_booked_movements', {
  planned: 'each-time',
  parameters: { requisiteId: uuid, from: instant, to: instant, firstId: uuid, limit: integer },
  row: {
    kind: word<MovementKind>(),
    id: uuid,
    transferId: nullable(uuid),
    amount: bigint,
    bookedAt: instant,
    reference: nullable(text),
    /** The beginning of the day, or the day, if the bank has reported no time. */
    earliestAt: nullable(instant),
    bookedOn: nullable(text),
    senderSealed: nullable(text),
    senderNameSealed: nullable(text),
    senderBank: nullable(text),
    textSealed: nullable(text),
    payeeSealed: nullable(text),
  },
  text: `select booked.kind, booked.id, booked.transfer_id, booked.amount, booked.booked_at, booked.reference,
      case when booked.kind = 'transfers' then sent.earliest_at end as earliest_at, paid.booked_on,
      sent.sender_sealed, sent.sender_name_sealed, sent.sender_bank, sent.text_sealed, paid.details_sealed as payee_sealed
    from (${bookedOn(':requisiteId', 'booked_at >= :from and booked_at < :to', ':firstId')}) as booked
    left join transfers as sent on sent.requisite_id = :requisiteId and sent.id = booked.transfer_id
    left join outgoing_transfers as paid on paid.requisite_id = :requisiteId and paid.id = booked.id
    where booked.reported
    order by booked.booked_at, booked.id limit :limit`,
})

const openingRow = {
  requisiteId: uuid,
  /** `2026-01-31`, in the bank's time zone. */
  day: text,
  beginsAt: instant,
  currency: text,
  balance: bigint,
  reason: text,
  setBy: text,
  setAt: instant,
}

/** A balance that waits for another operator. */
const proposal = { proposedDay: nullable(text), proposedBalance: nullable(bigint), proposedBy: nullable(text) }

const openingBalances = table('opening_balances', { requisiteId: uuid })

export const insertOpeningBalance = openingBalances.insertNew('insert_opening_balance', openingRow)

/** Replaces the opening balance of an account by an earlier one. */
export const moveOpeningBalance = query('move_opening_balance', {
  parameters: openingRow,
  text: `update opening_balances set ${given(openingRow)},
      proposed_day = null, proposed_balance = null, proposed_by = null
    where requisite_id = :requisiteId and currency = :currency`,
})

/** When the first days of accounts began; accounts without an opening balance are left out. */
export const selectOpenings = query('list_openings', {
  parameters: { requisiteIds: array(uuid) },
  row: { requisiteId: uuid, day: text, beginsAt: instant },
  text: `select :row from opening_balances where requisite_id = any(:requisiteIds)`,
})

/** Since when payments have waited for money on an account, if that was before a time. */
export const findPaymentBefore = query('find_payment_before_opening', {
  parameters: { requisiteId: uuid, before: instant },
  row: { takenAt: instant },
  text: `select taken_at from (
      select taken_at from slots where requisite_id = :requisiteId and taken_at < :before
      union all select taken_at from past_slots where requisite_id = :requisiteId and taken_at < :before
    ) as held order by taken_at limit 1`,
})

export const findMovementBefore = query('find_movement_before_opening', {
  parameters: { requisiteId: uuid, before: instant },
  row: { bookedAt: instant },
  text: `(select booked_at from transfers where requisite_id = :requisiteId and booked_at < :before
        and dedupe_key not like 'withdrawn:%' limit 1)
    union all
    (select booked_at from outgoing_transfers where requisite_id = :requisiteId and booked_at < :before
        and state <> 'withdrawn' limit 1)`,
})

export const proposeOpeningBalance = query('propose_opening_balance', {
  parameters: { requisiteId: uuid, day: text, balance: bigint, setBy: text },
  text: `update opening_balances set proposed_day = :day, proposed_balance = :balance, proposed_by = :setBy
    where requisite_id = :requisiteId`,
})

const ofRequisite = openingBalances.findAndLock('opening_balance', { ...openingRow, ...proposal })

export const selectOpening = ofRequisite.find
export const lockOpeningBalance = ofRequisite.lock
