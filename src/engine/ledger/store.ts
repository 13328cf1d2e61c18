import { array, bigint, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import { maxBalance, type PostingKind } from '../../rules/money/ledger.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import { decimalsOf, takesCreditBack } from '../money-sql.ts'

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

const { postedAt, ...postingFields } = postingRow

export const insertPostings = table('ledger_postings', { postedAt }).insertOfKey('insert_postings', postingFields)

/** Adds movements to balances and creates missing ones; returns accounts whose new balance is within the limit. */
export const addToBalances = query('add_to_balances', {
  rows: { merchantId: uuid, account: text, currency: text, change: bigint },
  row: { account: text },
  // The caller sorts the rows by key, so that two transactions cannot deadlock. Citus allows no parameter in an ON
  // CONFLICT action.
  text: `insert into ledger_balances (merchant_id, account, currency, balance)
    select :columns from :rows where abs(change) <= ${maxBalance}
    on conflict (merchant_id, account, currency) do update
      set balance = ledger_balances.balance + excluded.balance
      -- What brings one that is larger back is taken.
      where abs(ledger_balances.balance::numeric + excluded.balance) <= greatest(${maxBalance}, abs(ledger_balances.balance))
    returning account`,
})

export const listSandboxRequisites = query('list_sandbox_requisites', {
  parameters: { ids: array(uuid) },
  row: { id: uuid },
  text: `select id from requisites where id = any(:ids) and mode = 'sandbox'`,
})

export const listPostings = table('ledger_postings', { merchantId: uuid, paymentId: uuid }).select(
  'list_postings_of_payment',
  postingRow,
  'order by id',
)

/** The books of a mode: of its merchants, and that of the service. */
const books = { mode: word<MerchantMode>(), serviceBook: uuid }
/** Whose documents are listed: one merchant's or, without one, those of all of a mode. */
export const ofMerchants = {
  filter: { merchantId: nullable(uuid), mode: word<MerchantMode>() },
  where: `(merchant_id = :merchantId
      or (:merchantId is null and merchant_id in (select id from merchants where mode = :mode)))`,
}

const ofBooks = `select id from merchants where mode = :mode union all select :serviceBook`

export const listBalances = query('list_balances', {
  planned: 'each-time',
  parameters: { merchantId: nullable(uuid), ...books },
  row: { account: text, currency: text, balance: bigint },
  text: `select account, currency, sum(balance)::bigint as balance from ledger_balances
    where merchant_id = :merchantId or (:merchantId is null and merchant_id in (${ofBooks}))
    group by account, currency order by account, currency`,
})

/** Merchants, of some or of all live ones, that owe more than `maxDebt` in their quote currency, or anything in another. */
export const selectDebtors = query('list_debtors', {
  parameters: { merchantIds: nullable(array(uuid)), limit: integer },
  row: { merchantId: uuid, merchant: text, currency: text, debt: bigint, most: integer },
  text: `select distinct on (merchants.id) merchants.id as merchant_id, merchants.name as merchant, owed.currency, owed.balance as debt,
      allowed.most
    from merchants
    join ledger_balances as owed on owed.merchant_id = merchants.id
      and owed.account = concat_ws(':', 'merchant', merchants.id, 'available')
    cross join lateral (select case
        when owed.currency = coalesce(merchants.settings ->> 'quoteCurrency', 'USDT') then (merchants.settings ->> 'maxDebt')::integer
        when merchants.settings ->> 'maxDebt' is not null then 0 end as most) as allowed
    where (merchants.id = any(:merchantIds) or (:merchantIds is null and merchants.mode = 'live'))
      and owed.balance > allowed.most * 10::numeric ^ ${decimalsOf('owed.currency')}
    order by merchants.id, owed.currency limit :limit`,
})

/**
 * Of merchants that were credited for payments with money that only phones have reported, or with an open dispute, by
 * currency: how much of the former, after fees; how much settlements do not take, because of the dispute or because the
 * terms settle proven money only; and what is available. One payment may be left out.
 */
export const sumUnproven = query('sum_unproven_credits', {
  parameters: { merchantIds: array(uuid), exceptPaymentId: nullable(uuid) },
  row: { merchantId: uuid, currency: text, amount: bigint, waiting: bigint, available: bigint },
  // Ranges in the order of an index: a plan made while the tables were empty would read all rows of a merchant each time.
  text: `select paid.merchant_id, payments.currency,
      coalesce(sum(credited.amount) filter (where paid.is_unproven), 0)::bigint as amount,
      coalesce(sum(credited.amount) filter (where paid.is_disputed or payments.policy = 'proven'), 0)::bigint as waiting,
      coalesce((select -balance from ledger_balances as owed where owed.merchant_id = paid.merchant_id
        and owed.account = paid.account and owed.currency = payments.currency), 0)::bigint as available
    from (
      select merchant_id, payment_id, bool_or(is_unproven) as is_unproven, bool_or(not is_unproven) as is_disputed,
        concat_ws(':', 'merchant', merchant_id, 'available') as account
      from (
        select parts.merchant_id, parts.payment_id, true as is_unproven
        from (select requisite_id, id from transfers where unproven order by requisite_id, id offset 0) as unproven
        cross join lateral (
          select * from transfer_parts as own where own.requisite_id = unproven.requisite_id
            and own.transfer_id between unproven.id and unproven.id and own.replaced_at is null
            and own.kind in ('payment', 'overpayment')
          order by own.requisite_id, own.transfer_id offset 0
        ) as parts
        where parts.merchant_id = any(:merchantIds) and (parts.kind = 'payment' or exists (
          select from overpayment_decisions as assigned where assigned.merchant_id = parts.merchant_id
            and assigned.payment_id = parts.payment_id and assigned.decision = 'assign' and assigned.reversed_at is null))
        union all
        select merchant_id, payment_id, false from disputes
        where merchant_id = any(:merchantIds) and decided_at is null and from_status in ('paid', 'disput-paid')
      ) as waits group by merchant_id, payment_id
    ) as paid
    cross join lateral (
      select coalesce(own.terms ->> 'payoutPolicy', (select locked_terms.terms ->> 'payoutPolicy' from locked_terms
          where locked_terms.id = own.terms_id)) as policy, own.quote_currency as currency
      from payments as own
      where own.merchant_id = paid.merchant_id and own.id between paid.payment_id and paid.payment_id
      order by own.merchant_id, own.id limit 1
    ) as payments
    cross join lateral (
      select sum(case when postings.credit_account = paid.account then postings.amount else -postings.amount end) as amount
      from (
        select * from ledger_postings as own
        where own.merchant_id = paid.merchant_id and own.payment_id between paid.payment_id and paid.payment_id
        order by own.merchant_id, own.payment_id offset 0
      ) as postings where paid.account in (postings.credit_account, postings.debit_account)
    ) as credited
    where credited.amount > 0 and (:exceptPaymentId is null or paid.payment_id <> :exceptPaymentId)
    group by paid.merchant_id, paid.account, payments.currency`,
})

// Excludes every posting on the account, so that nobody else spends the same money.
export const lockBalance = table('ledger_balances', { merchantId: uuid, account: text, currency: text }).lock(
  'lock_ledger_balance',
  { balance: bigint },
)

export const sumReversedCredits = query('sum_reversed_credits', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { amount: bigint },
  text: `select coalesce(sum(amount), 0)::bigint as amount from ledger_postings
    where merchant_id = :merchantId and payment_id = :paymentId and ${takesCreditBack}`,
})

/** What was assigned of a payment's overpayment and not taken back by the bank, by decision; the latest first. */
export const listAssigned = query('list_assigned_overpayments', {
  parameters: { merchantId: uuid, paymentId: uuid },
  row: { id: uuid, kept: bigint, laterPrice: nullable(bigint) },
  text: `select decisions.id, moved.kept, decisions.later_price from (
      select merchant_id, document_id,
        sum(case when debit_account like 'overpayment:%' then amount else -amount end)::bigint as kept
      from ledger_postings
      where merchant_id = :merchantId and payment_id = :paymentId and kind = 'assign'
        and (debit_account like 'overpayment:%' or credit_account like 'overpayment:%')
      group by merchant_id, document_id
    ) as moved
    join overpayment_decisions as decisions on decisions.merchant_id = moved.merchant_id
      and decisions.id = moved.document_id
    where moved.kept > 0 order by decisions.id desc`,
})

/** Sums of all balances of a mode by kind of account and currency: the positive ones, and the negative ones. */
export const sumBalances = query('sum_ledger_balances', {
  parameters: books,
  row: { kind: text, currency: text, accounts: bigint, debit: bigint, credit: bigint },
  text: `select case when account like 'merchant:%' then 'merchant:' || split_part(account, ':', 3)
        else split_part(account, ':', 1) end as kind, currency, count(*) as accounts,
      coalesce(sum(balance) filter (where balance > 0), 0)::bigint as debit,
      coalesce(-sum(balance) filter (where balance < 0), 0)::bigint as credit
    from (
      select account, currency, sum(balance) as balance from ledger_balances
      where merchant_id in (${ofBooks}) group by account, currency
    ) as totals group by kind, currency order by currency, kind`,
})

export const listBooks = query('list_ledger_books', {
  parameters: books,
  row: { merchantId: uuid },
  // One row of each book along its primary key.
  text: `select books.id as merchant_id from (${ofBooks}) as books (id) cross join lateral (
      select from ledger_postings where merchant_id = books.id order by merchant_id, id limit 1
    ) as first order by books.id`,
})

/** Postings of a book between two ids and within a span of time. */
export const listJournal = query('list_ledger_journal', {
  parameters: { merchantId: uuid, after: uuid, before: uuid, from: instant, to: instant, limit: integer },
  row: postingRow,
  // Along the primary key from the first day of the span to its last, so that a page reads only its own rows.
  text: `select :row from ledger_postings
    where merchant_id = :merchantId and id > :after and id < :before and posted_at >= :from and posted_at < :to
    order by merchant_id, id limit :limit`,
})

export const listPostingsNewest = query('list_ledger_postings_newest', {
  planned: 'each-time',
  parameters: {
    merchantId: nullable(uuid),
    ...books,
    account: nullable(text),
    kind: nullable(word<PostingKind>()),
    before: uuid,
    least: uuid,
    from: instant,
    to: instant,
    limit: integer,
  },
  row: postingRow,
  // Book by book along its primary key: no page reads more of a book than its own size, unless an account or kind is
  // wanted.
  text: `select :row from (
      select merchant_id as book from ledger_balances
      where merchant_id = :merchantId or (:merchantId is null and merchant_id in (${ofBooks})) group by merchant_id
    ) as books cross join lateral (
      select * from ledger_postings where merchant_id = books.book and id < :before and id >= :least
        and posted_at >= :from and posted_at < :to and (:kind is null or kind = :kind)
        and (:account is null or :account in (debit_account, credit_account))
      order by merchant_id desc, id desc limit :limit
    ) as newest order by id desc, merchant_id limit :limit`,
})

const movementRow = {
  id: uuid,
  kind: word<PostingKind>(),
  currency: text,
  change: bigint,
  deducted: bigint,
  paymentId: nullable(uuid),
  orderId: nullable(text),
  reference: nullable(text),
  postedAt: instant,
}

// A fee belongs to the credit of the same payment in the same transaction; settlements and adjustments have a
// reference.
const movementSelect = `select postings.id, postings.kind, postings.currency,
    case when postings.credit_account = :account then postings.amount else -postings.amount end as change,
    coalesce(shares.deducted, 0)::bigint as deducted, postings.payment_id, payments.order_id,
    coalesce(settlements.reference, refunds.reference, ledger_adjustments.reference, overpayment_decisions.reference)
      as reference,
    postings.posted_at
  from ledger_postings as postings
  left join payments on payments.merchant_id = postings.merchant_id and payments.id = postings.payment_id
  left join settlements on settlements.merchant_id = postings.merchant_id and settlements.id = postings.document_id
  left join refunds on refunds.merchant_id = postings.merchant_id and refunds.id = postings.document_id
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

export const selectMovements = query('list_ledger_movements', {
  planned: 'each-time',
  parameters: { merchantId: uuid, account: text, before: nullable(uuid), limit: integer },
  row: movementRow,
  text: `${movementSelect} and (:before is null or postings.id < :before) order by postings.id desc limit :limit`,
})

/** Movements of a merchant's available balance since the settlement before a settlement, until that one took its amount. */
export const selectMovementsBefore = query('list_ledger_movements_before_settlement', {
  planned: 'each-time',
  parameters: { merchantId: uuid, account: text, settlementId: uuid, before: nullable(uuid), limit: integer },
  row: movementRow,
  text: `with holds as (
      select id, document_id, currency from ledger_postings
      where merchant_id = :merchantId and kind = 'hold' and document_id in (
        select id from settlements where merchant_id = :merchantId)
    ), own as (
      select id, currency from holds where document_id = :settlementId
    ), earlier as (
      select holds.id from holds join own using (currency) where holds.id < own.id and not exists (
          select from ledger_postings as released
          where released.merchant_id = :merchantId and released.document_id = holds.document_id
            and released.kind = 'release' and released.id < own.id)
      order by holds.id desc limit 1
    )
    ${movementSelect} and postings.id < (select id from own) and postings.currency = (select currency from own) and (:before is null or postings.id < :before)
      and postings.id > coalesce((select id from earlier), '00000000-0000-0000-0000-000000000000')
    order by postings.id desc limit :limit`,
})

/** Movements on one account of a book in a span of time, in order, between two ids. */
export const listMovementsBetween = query('list_ledger_movements_between', {
  planned: 'each-time',
  parameters: {
    merchantId: uuid,
    account: text,
    currency: text,
    after: uuid,
    before: uuid,
    from: instant,
    to: instant,
    limit: integer,
  },
  row: movementRow,
  text: `${movementSelect} and postings.currency = :currency and postings.id > :after and postings.id < :before and postings.posted_at >= :from
      and postings.posted_at < :to
    order by postings.id limit :limit`,
})

/** What an account of a book owes now, and the change since two times; reads ids after `after`. */
export const sumMovementsSince = query('sum_ledger_movements_since', {
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

/** Postings of a book in a span of time, that are known by their ids, too. */
const span = { merchantId: uuid, after: uuid, before: uuid, from: instant, to: instant }
const inSpan = `merchant_id = :merchantId and id > :after and id < :before and posted_at >= :from and posted_at < :to`

/** What moved a merchant's available balance, held balance and fees in a currency in a span, by kind. */
export const sumByKind = query('sum_ledger_movements_by_kind', {
  planned: 'each-time',
  parameters: { ...span, currency: text, account: text, paidOut: text },
  row: { kind: word<PostingKind>(), count: integer, change: bigint, fee: bigint, paidOut: bigint },
  text: `select kind, count(distinct coalesce(document_id, payment_id))::integer as count,
      sum(case :account when credit_account then amount when debit_account then -amount else 0 end)::bigint as change,
      sum(case 'fees' when credit_account then amount when debit_account then -amount else 0 end)::bigint as fee,
      sum(case :paidOut when credit_account then amount when debit_account then -amount else 0 end)::bigint as paid_out
    from ledger_postings where ${inSpan} and currency = :currency
      and (:account in (debit_account, credit_account) or 'fees' in (debit_account, credit_account)
        or :paidOut in (debit_account, credit_account))
    group by kind order by kind`,
})

/**
 * The payments that were credited in a currency in a span, by their own currency: how many, what they asked for, and
 * the money that came for the credits. What two operators credited without money is not in it.
 */
export const sumCredited = query('sum_credited_payments', {
  planned: 'each-time',
  parameters: { ...span, currency: text },
  row: { currency: text, count: integer, asked: bigint, received: bigint },
  text: `select payments.currency, count(*)::integer as count, sum(payments.amount)::bigint as asked,
      sum(credited.received + case when payments.currency = :currency then credited.quoted else 0 end)::bigint as received
    from (
      select payment_id,
        sum(case when kind = 'credit' and credit_account like 'fx:%' then amount else 0 end) as received,
        sum(case when currency <> :currency then 0 when kind = 'correct' and credit_account = 'suspense' then -amount
          when kind <> 'correct' and debit_account = 'suspense' and credit_account <> 'suspense' then amount else 0 end) as quoted
      from ledger_postings where ${inSpan} and kind in ('credit', 'fee', 'correct')
      group by payment_id
      having count(*) filter (where currency = :currency and kind in ('credit', 'fee')) > 0
    ) as credited
    join payments on payments.merchant_id = :merchantId and payments.id = credited.payment_id
    group by payments.currency order by payments.currency`,
})
