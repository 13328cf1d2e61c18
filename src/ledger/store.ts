import { array, bigint, instant, integer, nullable, query, text, uuid, word } from '../database/query.ts'
import type { AdjustmentStatus } from '../domain/adjustment.ts'
import type { PostingKind } from '../domain/ledger.ts'

const postingRow = {
  merchantId: uuid,
  id: uuid,
  transactionId: uuid,
  kind: word<PostingKind>(),
  debitAccount: text,
  creditAccount: text,
  currency: text,
  amount: bigint,
  paymentId: nullable(uuid),
  transferId: nullable(uuid),
  documentId: nullable(uuid),
  postedAt: instant,
}

/** Appends postings. */
export const insertPostings = query({
  name: 'insert_postings',
  parameters: {
    merchantIds: array(uuid),
    ids: array(uuid),
    transactionIds: array(uuid),
    kinds: array(text),
    debitAccounts: array(text),
    creditAccounts: array(text),
    currencies: array(text),
    amounts: array(bigint),
    paymentIds: array(nullable(uuid)),
    transferIds: array(nullable(uuid)),
    documentIds: array(nullable(uuid)),
    postedAt: instant,
  },
  row: {},
  text: `insert into ledger_postings (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency,
      amount, payment_id, transfer_id, document_id, posted_at)
    select merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
      transfer_id, document_id, :postedAt
    from unnest(:merchantIds, :ids, :transactionIds, :kinds, :debitAccounts, :creditAccounts, :currencies, :amounts,
        :paymentIds, :transferIds, :documentIds)
      as input (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
        transfer_id, document_id)`,
})

/** Adds movements to balances, creating those that are missing. */
export const addToBalances = query({
  name: 'add_to_balances',
  parameters: { merchantIds: array(uuid), accounts: array(text), currencies: array(text), changes: array(bigint) },
  row: {},
  // The caller sorts the rows by key, so that two transactions never wait for each other in a circle.
  text: `insert into ledger_balances (merchant_id, account, currency, balance)
    select * from unnest(:merchantIds, :accounts, :currencies, :changes)
    on conflict (merchant_id, account, currency) do update
      set balance = ledger_balances.balance + excluded.balance`,
})

/** A payment's postings in order. */
export const listPostings = query({
  name: 'list_postings_of_payment',
  parameters: { merchantId: uuid, paymentId: uuid },
  row: postingRow,
  text: `select merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
      transfer_id, document_id, posted_at
    from ledger_postings where merchant_id = :merchantId and payment_id = :paymentId order by id`,
})

/** Balances of one book, or of all together. */
export const listBalances = query({
  name: 'list_balances',
  parameters: { merchantId: nullable(uuid) },
  row: { account: text, currency: text, balance: bigint },
  text: `select account, currency, sum(balance)::bigint as balance from ledger_balances
    where :merchantId is null or merchant_id = :merchantId
    group by account, currency order by account, currency`,
})

/** Locks one balance. */
export const lockBalance = query({
  name: 'lock_ledger_balance',
  parameters: { merchantId: uuid, account: text, currency: text },
  row: { balance: bigint },
  // Excludes every posting on the account, so that nobody else spends what is about to be spent.
  text: `select balance from ledger_balances
    where merchant_id = :merchantId and account = :account and currency = :currency for update`,
})

/** Credited money of a payment that banks have taken back. */
export const sumReversedCredits = query({
  name: 'sum_reversed_credits',
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { amount: bigint },
  text: `select coalesce(sum(amount), 0)::bigint as amount from ledger_postings
    where merchant_id = :merchantId and payment_id = :paymentId and kind = 'return' and debit_account like 'fx:%'
      and credit_account like 'bank:%'`,
})

/** Sums of all balances by kind of account and currency: those that are above zero, and those below. */
export const sumBalances = query({
  name: 'sum_ledger_balances',
  parameters: {},
  row: { kind: text, currency: text, accounts: bigint, debit: bigint, credit: bigint },
  text: `select case when account like 'merchant:%' then 'merchant:' || split_part(account, ':', 3)
        else split_part(account, ':', 1) end as kind, currency, count(*) as accounts,
      coalesce(sum(balance) filter (where balance > 0), 0)::bigint as debit,
      coalesce(-sum(balance) filter (where balance < 0), 0)::bigint as credit
    from (
      select account, currency, sum(balance) as balance from ledger_balances group by account, currency
    ) as totals group by kind, currency order by currency, kind`,
})

/** The first book of the journal after another one, or from the first on. */
export const findNextBook = query({
  name: 'find_next_ledger_book',
  parameters: { after: nullable(uuid) },
  row: { merchantId: uuid },
  text: `select merchant_id from ledger_postings where :after is null or merchant_id > :after order by merchant_id limit 1`,
  planned: 'each-time',
})

/** Postings of a book between two ids and within a span of time. */
export const listJournal = query({
  name: 'list_ledger_journal',
  parameters: { merchantId: uuid, after: uuid, before: uuid, from: instant, to: instant, limit: integer },
  row: postingRow,
  // Along the primary key from the first day of the span to its last, so that a page costs its rows and no more.
  text: `select merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
      transfer_id, document_id, posted_at
    from ledger_postings
    where merchant_id = :merchantId and id > :after and id < :before and posted_at >= :from and posted_at < :to
    order by merchant_id, id limit :limit`,
})

const movementRow = {
  id: uuid,
  kind: word<PostingKind>(),
  change: bigint,
  deducted: bigint,
  paymentId: nullable(uuid),
  orderId: nullable(text),
  reference: nullable(text),
  postedAt: instant,
}

// A fee belongs to the credit of the same payment in the same transaction; settlements and adjustments have a reference.
const movementSelect = `select postings.id, postings.kind,
    case when postings.credit_account = :account then postings.amount else -postings.amount end as change,
    coalesce(shares.deducted, 0)::bigint as deducted, postings.payment_id, payments.order_id,
    coalesce(settlements.reference, ledger_adjustments.reference, overpayment_decisions.reference) as reference,
    postings.posted_at
  from ledger_postings as postings
  left join payments on payments.merchant_id = postings.merchant_id and payments.id = postings.payment_id
  left join settlements on settlements.merchant_id = postings.merchant_id and settlements.id = postings.document_id
  left join ledger_adjustments on ledger_adjustments.merchant_id = postings.merchant_id
    and ledger_adjustments.id = postings.document_id
  left join overpayment_decisions on overpayment_decisions.merchant_id = postings.merchant_id
    and overpayment_decisions.id = postings.document_id
  left join lateral (
    select sum(case when fee.credit_account = 'fees' then fee.amount else -fee.amount end) as deducted
    from ledger_postings as fee
    where fee.merchant_id = postings.merchant_id and fee.payment_id = postings.payment_id
      and fee.transaction_id = postings.transaction_id and fee.currency = postings.currency
      and 'fees' in (fee.credit_account, fee.debit_account)
  ) as shares on postings.payment_id is not null
  where postings.merchant_id = :merchantId and :account in (postings.debit_account, postings.credit_account)`

/** A page of movements on one account of a book, the newest first. */
export const listMovements = query({
  name: 'list_ledger_movements',
  planned: 'each-time',
  parameters: { merchantId: uuid, account: text, before: nullable(uuid), limit: integer },
  row: movementRow,
  text: `${movementSelect} and (:before is null or postings.id < :before) order by postings.id desc limit :limit`,
})

/** Movements on one account of a book in a span of time, in order, between two ids. */
export const listMovementsBetween = query({
  name: 'list_ledger_movements_between',
  planned: 'each-time',
  parameters: {
    merchantId: uuid,
    account: text,
    after: uuid,
    before: uuid,
    from: instant,
    to: instant,
    limit: integer,
  },
  row: movementRow,
  text: `${movementSelect} and postings.id > :after and postings.id < :before and postings.posted_at >= :from
      and postings.posted_at < :to
    order by postings.id limit :limit`,
})

/** What an account of a book owes now, and what that has changed since two times; ids after one are looked at. */
export const sumMovementsSince = query({
  name: 'sum_ledger_movements_since',
  parameters: { merchantId: uuid, account: text, currency: text, after: uuid, from: instant, to: instant },
  row: { owed: bigint, sinceFrom: bigint, sinceTo: bigint },
  text: `select coalesce((select -balance from ledger_balances
        where merchant_id = :merchantId and account = :account and currency = :currency), 0)::bigint as owed,
      coalesce(sum(change), 0)::bigint as since_from,
      coalesce(sum(change) filter (where posted_at >= :to), 0)::bigint as since_to
    from (
      select case when credit_account = :account then amount else -amount end as change, posted_at from ledger_postings
      where merchant_id = :merchantId and id > :after and posted_at >= :from and currency = :currency
        and :account in (debit_account, credit_account)
    ) as moved`,
})

const adjustmentRow = {
  merchantId: uuid,
  id: uuid,
  reference: text,
  debitAccount: text,
  creditAccount: text,
  currency: text,
  amount: bigint,
  reason: text,
  bookedAt: instant,
  reverses: nullable(uuid),
  status: word<AdjustmentStatus>(),
  draftedBy: text,
  decidedBy: nullable(text),
  createdAt: instant,
  decidedAt: nullable(instant),
}

const adjustmentColumns = `merchant_id, id, reference, debit_account, credit_account, currency, amount, reason, booked_at,
  reverses, status, drafted_by, decided_by, created_at, decided_at`

/** Adds a drafted adjustment, unless its reference is taken, and returns its id. */
export const insertAdjustment = query({
  name: 'insert_ledger_adjustment',
  parameters: adjustmentRow,
  row: { id: uuid },
  text: `insert into ledger_adjustments (${adjustmentColumns})
    values (:merchantId, :id, :reference, :debitAccount, :creditAccount, :currency, :amount, :reason, :bookedAt, :reverses,
      :status, :draftedBy, :decidedBy, :createdAt, :decidedAt)
    on conflict (merchant_id, reference) do nothing returning id`,
})

/** Locks an adjustment. */
export const lockAdjustment = query({
  name: 'lock_ledger_adjustment',
  parameters: { merchantId: uuid, id: uuid },
  row: adjustmentRow,
  // Excludes another decision about it, and another reversal.
  text: `select ${adjustmentColumns} from ledger_adjustments where merchant_id = :merchantId and id = :id for update`,
})

/** The adjustment with the operator's name for it. */
export const findAdjustmentByReference = query({
  name: 'find_ledger_adjustment',
  parameters: { merchantId: uuid, reference: text },
  row: adjustmentRow,
  text: `select ${adjustmentColumns} from ledger_adjustments
    where merchant_id = :merchantId and reference = :reference`,
})

/** The reversal of an adjustment that was not rejected. */
export const findReversal = query({
  name: 'find_adjustment_reversal',
  parameters: { merchantId: uuid, reverses: uuid },
  row: adjustmentRow,
  text: `select ${adjustmentColumns} from ledger_adjustments
    where merchant_id = :merchantId and reverses = :reverses and status <> 'rejected'`,
})

/** Notes the decision about an adjustment. */
export const decideAdjustment = query({
  name: 'decide_ledger_adjustment',
  parameters: {
    merchantId: uuid,
    id: uuid,
    status: word<AdjustmentStatus>(),
    decidedBy: text,
    decidedAt: instant,
  },
  row: {},
  text: `update ledger_adjustments set status = :status, decided_by = :decidedBy, decided_at = :decidedAt
    where merchant_id = :merchantId and id = :id`,
})

/** A page of adjustments, the newest first. */
export const listAdjustments = query({
  name: 'list_ledger_adjustments',
  planned: 'each-time',
  parameters: { status: nullable(word<AdjustmentStatus>()), before: nullable(uuid), limit: integer },
  row: adjustmentRow,
  text: `select ${adjustmentColumns} from ledger_adjustments
    where (:status is null or status = :status) and (:before is null or id < :before) order by id desc limit :limit`,
})

/** Those of some accounts that are the bank account of a requisite, or what banks took back of a book's payments. */
export const listAdjustableAccounts = query({
  name: 'list_adjustable_accounts',
  parameters: { merchantId: uuid, accounts: array(text) },
  row: { account: text, currency: text },
  text: `select 'bank:' || id as account, currency from requisites where 'bank:' || id = any(:accounts)
    union all
    select account, currency from ledger_balances
    where merchant_id = :merchantId and account = any(:accounts) and account like 'reversed:%'`,
})

/** Currency and time zone of a requisite. */
export const findBankDay = query({
  name: 'find_bank_day',
  parameters: { requisiteId: uuid },
  row: { currency: text, utcOffsetMinutes: integer },
  text: `select currency, (limits ->> 'utcOffsetMinutes')::integer as utc_offset_minutes from requisites
    where id = :requisiteId`,
})

/** Notes what a statement, or somebody by hand, says of the end of a day, in place of what the same said before. */
export const upsertClosingBalance = query({
  name: 'upsert_closing_balance',
  parameters: {
    requisiteId: uuid,
    day: text,
    statementId: uuid,
    endsAt: instant,
    currency: text,
    balance: bigint,
    source: text,
    recordedAt: instant,
  },
  row: {},
  text: `insert into closing_balances (requisite_id, day, statement_id, ends_at, currency, balance, source, recorded_at)
    values (:requisiteId, :day, :statementId, :endsAt, :currency, :balance, :source, :recordedAt)
    on conflict (requisite_id, day, statement_id) do update set ends_at = excluded.ends_at, balance = excluded.balance,
      source = excluded.source, recorded_at = excluded.recorded_at`,
})

/** Forgets what a statement says. */
export const deleteClosingBalances = query({
  name: 'delete_closing_balances',
  parameters: { statementId: uuid },
  row: {},
  text: `delete from closing_balances where statement_id = :statementId`,
})

/** Closing balances of a requisite or of all, the last days first, beside the ledger at the end of the day. */
export const listReconciliations = query({
  name: 'list_reconciliations',
  planned: 'each-time',
  parameters: { requisiteId: nullable(uuid), limit: integer },
  row: {
    requisiteId: uuid,
    day: text,
    currency: text,
    closing: bigint,
    ledger: bigint,
    /** Of the ledger's what waits in the inbox as possibly told twice. */
    possibleRepeats: bigint,
    statementId: nullable(uuid),
    source: text,
    recordedAt: instant,
  },
  // The ledger's balance is that of now less what the bank booked after the day. Transfers that were booked later are
  // recorded later, too, so their ids are greater than the least one at the end of the day.
  text: `select closings.requisite_id, closings.day, closings.currency, closings.balance as closing,
      (coalesce(held.balance, 0) - coalesce(arrived.amount, 0) + coalesce(reversed.amount, 0)
        + coalesce(refunded.amount, 0) - coalesce(adjusted.amount, 0))::bigint as ledger,
      coalesce(doubtful.amount, 0)::bigint as possible_repeats,
      nullif(closings.statement_id, '00000000-0000-0000-0000-000000000000') as statement_id, closings.source,
      closings.recorded_at
    from (
      select * from closing_balances where :requisiteId is null or requisite_id = :requisiteId
      order by day desc, requisite_id, statement_id limit :limit
    ) as closings
    cross join lateral (select sum(balance) as balance from ledger_balances
      where account = 'bank:' || closings.requisite_id and account like 'bank:%' and currency = closings.currency) as held
    cross join lateral (select sum(amount) as amount from transfers
      where requisite_id = closings.requisite_id and booked_at >= closings.ends_at and dedupe_key not like 'returned:%'
        and not (repeat_of is not null and exists (select from (select parts.kind from transfer_allocations as parts
          where parts.requisite_id = transfers.requisite_id and parts.transfer_id between transfers.id and transfers.id
            and parts.kind = 'repeated' and parts.reversed_at is null
          order by parts.requisite_id, parts.transfer_id limit 1) as own))
        and id >= (lpad(to_hex((extract(epoch from closings.ends_at) * 1000)::bigint - 600000), 12, '0')
          || repeat('0', 20))::uuid) as arrived
    cross join lateral (select sum(amount) as amount from transfer_reversals
      where requisite_id = closings.requisite_id and booked_at >= closings.ends_at and transfer_id is not null) as reversed
    cross join lateral (select sum(amount) as amount from overpayment_decisions
      where requisite_id = closings.requisite_id and booked_at >= closings.ends_at) as refunded
    cross join lateral (select sum(case when debit_account = 'bank:' || closings.requisite_id then amount else -amount end)
        as amount from ledger_adjustments
      where 'bank:' || closings.requisite_id in (debit_account, credit_account) and status = 'posted'
        and booked_at >= closings.ends_at) as adjusted
    cross join lateral (select sum(parts.amount) as amount from transfers
      join transfer_allocations as parts on parts.requisite_id = transfers.requisite_id
        and parts.transfer_id = transfers.id and parts.kind = 'suspense' and parts.reversed_at is null
      where transfers.requisite_id = closings.requisite_id and transfers.repeat_of is not null
        and transfers.booked_at < closings.ends_at) as doubtful
    order by closings.day desc, closings.requisite_id, closings.statement_id`,
})
