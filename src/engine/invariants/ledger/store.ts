import { type Invariant, invariant, withServiceBooks } from '../invariant.ts'
import { decimalsOf, scaleOfPayment, takesCreditBack } from '../../money-sql.ts'
import { noFeeCap } from '../../../rules/merchants/fee.ts'
import { serviceBooks } from '../../../rules/money/ledger.ts'
import { settlementTransitions } from '../../../rules/money/settlement.ts'

const payment = `concat_ws(' ', payments.merchant_id, payments.id)`

/** The transition table of settlements as SQL rows; it is our own data, never input. */
const steps = settlementTransitions.flatMap(({ from, to }) => from.map((status) => `('${status}', '${to}')`)).join(', ')

const sidesOf = (postings: string): string => `
        select merchant_id, account, currency, sum(amount) as balance from (
          select merchant_id, debit_account as account, currency, amount from ${postings}
          union all select merchant_id, credit_account, currency, -amount from ${postings}
        ) as sides group by merchant_id, account, currency`

/** Verified sums plus postings since. The redundant condition on `:earlierId` shows PostgreSQL how few they are. */
const changedBalances = `select concat_ws(' ', merchant_id, account, currency) from ledger_balances
      full join verified_balances as verified using (merchant_id, account, currency)
      full join (${sidesOf(`(select recent.* from
          (select id from merchants ${withServiceBooks}) as books
          cross join lateral (select ledger_postings.* from ledger_postings where ledger_postings.merchant_id = books.id
            and ledger_postings.id >= :earlierId
            and ledger_postings.id >= (select until_id from verified_history)) as recent) as postings`)}
      ) as moved using (merchant_id, account, currency)
      where coalesce(ledger_balances.balance, 0) <> coalesce(verified.balance, 0) + coalesce(moved.balance, 0)`

const overpaymentBalances = `select ledger_balances.* from changed_payments
  join ledger_balances on ledger_balances.merchant_id = changed_payments.merchant_id
    and ledger_balances.account = 'overpayment:' || changed_payments.payment_id`

const adjustmentPostings = `select ledger_postings.* from changed_documents join ledger_postings
  on ledger_postings.merchant_id = changed_documents.merchant_id
    and ledger_postings.document_id = changed_documents.document_id`

/** The invariants within the ledger. */
export const ledgerInvariants: readonly Invariant[] = [
  invariant(
    'balances-equal-postings',
    'A stored balance is the sum of its postings.',
    `select concat_ws(' ', merchant_id, account, currency) from ledger_balances full join (${sidesOf('ledger_postings')}
      ) as moved using (merchant_id, account, currency)
      where coalesce(ledger_balances.balance, 0) <> coalesce(moved.balance, 0)`,
    { by: changedBalances },
  ),
  invariant(
    'verified-sums-hold',
    'The postings that were verified still have the sums that they had.',
    `select concat_ws(' ', merchant_id, account, currency) from verified_balances full join (${sidesOf(
      '(select * from ledger_postings where id < (select until_id from verified_history)) as postings',
    )}
      ) as held using (merchant_id, account, currency)
      where coalesce(verified_balances.balance, 0) <> coalesce(held.balance, 0)
        -- If the clock was ahead then, postings have been added since.
        and not exists (select from verified_history where until > :now)`,
    'implied',
  ),
  invariant(
    'balances-sum-to-zero',
    'The balances of a book sum to zero in each currency.',
    `select concat_ws(' ', merchant_id, currency) from ledger_balances
      group by merchant_id, currency having sum(balance) <> 0`,
  ),
]

/** The invariants of money beyond a single payment (docs/domain.md §8, §12); zero rows is healthy. */
export const moneyInvariants: readonly Invariant[] = [
  invariant(
    'transfers-posted-once',
    'The ledger has each transfer once, on the account of its requisite; duplicates never; nothing else but adjustments.',
    `select concat_ws(' ', posted.bank, coalesce(transfers.id, posted.transfer_id)) from transfers full join (
        select bank, transfer_id, currency, sum(amount) as amount from (
          select debit_account as bank, transfer_id, currency, amount from ledger_postings
            where debit_account like 'bank:%' and kind not in ('adjust', 'send', 'book', 'unbook', 'open')
          -- What is taken from one payment is taken back from the bank, and received again for another; what
          -- the bank itself took back is in returned-money-left-bank.
          union all select credit_account, transfer_id, currency, -amount from ledger_postings
            where credit_account like 'bank:%' and transfer_id is not null and kind <> 'return'
        ) as sides group by bank, transfer_id, currency
      ) as posted on posted.transfer_id = transfers.id and posted.currency = transfers.currency
        and posted.bank = 'bank:' || transfers.requisite_id
      left join transfer_parts as duplicates on duplicates.requisite_id = transfers.requisite_id
        and duplicates.transfer_id = transfers.id and duplicates.kind = 'duplicate' and duplicates.replaced_at is null
      where coalesce(posted.amount, 0) is distinct from transfers.amount - coalesce(duplicates.amount, 0)`,
  ),
  invariant(
    'returned-money-left-bank',
    'Exactly the money that a bank took back or that was withdrawn has left the account of its requisite, once.',
    `select concat_ws(' ', gone.requisite_id, coalesce(gone.transfer_id, posted.transfer_id)) from (
        select requisite_id, transfer_id, sum(amount) as amount from (
          select requisite_id, transfer_id, amount from transfer_parts where kind = 'withdrawn' and replaced_at is null
          union all select requisite_id, transfer_id, amount from transfer_reversals where transfer_id is not null
        ) as each group by requisite_id, transfer_id
      ) as gone full join (
        select credit_account, transfer_id, sum(amount) as amount from ledger_postings
        where credit_account like 'bank:%' and kind = 'return' group by credit_account, transfer_id
      ) as posted on posted.transfer_id = gone.transfer_id and posted.credit_account = 'bank:' || gone.requisite_id
      where posted.amount is distinct from gone.amount`,
  ),
  invariant(
    'reversals-within-transfer',
    'Banks took back no more of a transfer than its amount, and its parts have lost exactly that.',
    `select concat_ws(' ', coalesce(reversed.requisite_id, lost.requisite_id),
        coalesce(reversed.transfer_id, lost.transfer_id)) from (
        select requisite_id, transfer_id, sum(amount) as amount from transfer_reversals where transfer_id is not null
        group by requisite_id, transfer_id
      ) as reversed full join (
        select requisite_id, transfer_id, sum(case when kind = 'reversed' then amount else reversed_amount end) as amount
        from transfer_parts where replaced_at is null and (kind = 'reversed' or reversed_amount > 0)
        group by requisite_id, transfer_id
      ) as lost on lost.requisite_id = reversed.requisite_id and lost.transfer_id = reversed.transfer_id
      left join transfers on transfers.requisite_id = reversed.requisite_id and transfers.id = reversed.transfer_id
      where reversed.amount is distinct from lost.amount or reversed.amount > transfers.amount`,
  ),
  invariant(
    'credits-equal-quote',
    'A credited payment has given its merchant what its money is worth at its rate, or at its later price, less the exact fee; others nothing.',
    `select ${payment} from payments
      left join (
        select merchant_id, payment_id, sum(amount) as amount from ledger_postings
        where ${takesCreditBack}
        group by merchant_id, payment_id
      ) as taken on taken.merchant_id = payments.merchant_id and taken.payment_id = payments.id
      cross join lateral (select coalesce(payments.final_amount, payments.received) - coalesce(taken.amount, 0) as amount)
        as kept
      cross join lateral (select case when payments.status in ('paid', 'disput-paid')
        then div(least(kept.amount, payments.locked_part)::numeric * ${scaleOfPayment}, payments.rate_price::numeric)
          + div(greatest(kept.amount - payments.locked_part, 0)::numeric * ${scaleOfPayment},
            coalesce(payments.later_price, payments.rate_price)::numeric) else 0 end as gross) as due
      left join locked_terms as locked on locked.id = payments.terms_id
      cross join lateral (select coalesce(locked.terms, '{}') || coalesce(payments.terms, '{}') as plan) as terms
      cross join lateral (select 10::numeric ^ (6 - ${decimalsOf('payments.quote_currency')}) as size) as unit
      cross join lateral (select least(
          div(
            least(
              greatest(
                div(due.gross * unit.size * (terms.plan ->> 'feePpm')::numeric, 1000000)
                  + coalesce((terms.plan ->> 'feeFixedMicro')::numeric, 0),
                coalesce((terms.plan ->> 'feeMinMicro')::numeric, 0)),
              coalesce(nullif((terms.plan ->> 'feeMaxMicro')::numeric, ${noFeeCap}), due.gross * unit.size)),
            unit.size),
          due.gross) as fee) as cut
      left join (
        select merchant_id, payment_id, sum(sign * amount) filter (where account like 'merchant:%') as net,
          sum(sign * amount) filter (where account = 'fees') as fee
        from (
          select merchant_id, payment_id, kind, credit_account as account, amount, 1 as sign from ledger_postings
          union all select merchant_id, payment_id, kind, debit_account, amount, -1 from ledger_postings
        ) as sides where payment_id is not null and kind in ('credit', 'fee', 'reverse', 'return')
        group by merchant_id, payment_id
      ) as given on given.merchant_id = payments.merchant_id and given.payment_id = payments.id
      where (coalesce(given.fee, 0), coalesce(given.net, 0)) <> (cut.fee, due.gross - cut.fee)`,
  ),
  invariant(
    'settlements-hold-balance',
    "A merchant's held balance is the sum of its open settlements, its paid-out balance that of the paid ones.",
    `select concat_ws(' ', merchant_id, currency) from (
        select merchant_id, currency, sum(amount) filter (where status in ('requested', 'draft', 'approved')) as open,
          sum(amount) filter (where status = 'paid') as paid
        from settlements group by merchant_id, currency
      ) as settled full join (
        select merchant_id, currency, -sum(balance) filter (where split_part(account, ':', 3) = 'held') as held,
          -sum(balance) filter (where split_part(account, ':', 3) = 'paid-out') as paid_out
        from ledger_balances where account like 'merchant:%' and split_part(account, ':', 3) in ('held', 'paid-out')
        group by merchant_id, currency
      ) as booked using (merchant_id, currency)
      where coalesce(settled.open, 0) <> coalesce(booked.held, 0)
        or coalesce(settled.paid, 0) <> coalesce(booked.paid_out, 0)`,
    { whole: ['settlements'] },
  ),
  invariant(
    'settlements-in-table',
    'The events of a settlement are gapless from its beginning; each step is in the table; the last is its status.',
    `select concat_ws(' ', settlements.merchant_id, settlements.id) from settlements left join (
        select merchant_id, settlement_id, count(*) as events, max(sequence) as last,
          (array_agg(status order by sequence desc))[1] as status,
          bool_and(case when former is null then status in ('requested', 'draft') and sequence = 1
            else (former, status) in (values ${steps}) and at >= former_at end) as fits
        from (
          select merchant_id, settlement_id, sequence, status, at,
            lag(status) over by_settlement as former, lag(at) over by_settlement as former_at
          from settlement_events
          window by_settlement as (partition by merchant_id, settlement_id order by sequence)
        ) as steps group by merchant_id, settlement_id
      ) as noted on noted.merchant_id = settlements.merchant_id and noted.settlement_id = settlements.id
      where (noted.fits, noted.events, noted.last, noted.status)
        is distinct from (true, settlements.sequence, settlements.sequence, settlements.status)`,
  ),
  invariant(
    'settlements-paid-by-one-debit',
    'A settlement that a bank has paid has one debit of its currency and amount, which the bank did not give back.',
    `select concat_ws(' ', merchant_id, id) from settlements where is_proven and 1 <> (
        select count(*) from outgoing_transfers as debits
        where debits.document_id = settlements.id and debits.purpose = 'settlement' and debits.state = 'booked'
          and not debits.given_back and debits.currency = settlements.currency and debits.amount = settlements.amount)`,
    { whole: ['settlements'] },
  ),
  invariant(
    'settlements-to-ready-destinations',
    'No settlement was drafted, or asked for, before its destination was approved and its cooling time over.',
    `select concat_ws(' ', settlements.merchant_id, settlements.id) from settlements
      join destinations on destinations.merchant_id = settlements.merchant_id and destinations.id = destination_id
      where ready_at is null or created_at < ready_at`,
  ),
  invariant(
    'overpayments-add-up',
    'What the payer of a payment is owed is the surplus that came and did not leave again, with sent refunds, less what was decided or adjusted.',
    `select concat_ws(' ', merchant_id, payment_id) from (
        select merchant_id, payment_id, sum(amount) as amount from (
          select merchant_id, payment_id, amount from transfer_parts
            where kind = 'overpayment' and replaced_at is null
          union all select merchant_id, payment_id, -amount from overpayment_decisions where reversed_at is null
          union all select merchant_id, payment_id, amount from refunds where status in ('sent', 'done')
          union all select merchant_id, payment_id,
            case when debit_account like 'overpayment:%' then -amount else amount end
            from ledger_postings where kind = 'adjust' and payment_id is not null
        ) as parts group by merchant_id, payment_id
      ) as due full join (
        select merchant_id, split_part(account, ':', 2)::uuid as payment_id, -sum(balance) as amount from ledger_balances
        where account like 'overpayment:%' group by merchant_id, account
      ) as owed using (merchant_id, payment_id)
      where coalesce(due.amount, 0) <> coalesce(owed.amount, 0) or owed.amount < 0`,
    { rows: { ledger_balances: overpaymentBalances } },
  ),
  invariant(
    'assigned-at-the-rate',
    'An assigned overpayment gave the merchant and the fee together the worth of what the bank left of it, at the rate, or at its own price.',
    `select concat_ws(' ', merchant_id, id) from (
        select decisions.merchant_id, decisions.id, decision, decisions.amount, coalesce(moved.kept, 0) as kept,
          coalesce(moved.given, 0) as given,
          div(coalesce(moved.kept, 0)::numeric * ${scaleOfPayment},
            coalesce(decisions.later_price, payments.rate_price)::numeric) as due,
          sum(decisions.amount - coalesce(moved.kept, 0)) filter (where decision = 'assign')
            over (partition by decisions.merchant_id, decisions.payment_id) > coalesce(lost.amount, 0) as lacks
        from overpayment_decisions as decisions
        join payments on payments.merchant_id = decisions.merchant_id and payments.id = decisions.payment_id
          left join (
          select merchant_id, document_id,
            sum(sign * amount) filter (where account like 'merchant:%' or account = 'fees') as given,
            -sum(sign * amount) filter (where account like 'overpayment:%') as kept
          from (
            select merchant_id, document_id, kind, credit_account as account, amount, 1 as sign from ledger_postings
            union all select merchant_id, document_id, kind, debit_account, amount, -1 from ledger_postings
          ) as sides where kind = 'assign' group by merchant_id, document_id
        ) as moved on moved.merchant_id = decisions.merchant_id and moved.document_id = decisions.id
        left join (
          select merchant_id, payment_id, sum(reversed_amount) as amount from transfer_parts
          where kind = 'overpayment' and replaced_at is null group by merchant_id, payment_id
        ) as lost on lost.merchant_id = decisions.merchant_id and lost.payment_id = decisions.payment_id
      ) as assigned
      where given <> due or kept not between 0 and amount or (decision = 'assign' and lacks)
        or (decision <> 'assign' and kept <> 0)`,
    {},
  ),
  invariant(
    'adjustments-posted-once',
    'Each posted adjustment, and no other, is in the ledger once, as agreed.',
    `select concat_ws(' ', merchant_id, id) from (
        select merchant_id, id, debit_account, credit_account, currency, amount, 1 as times from ledger_adjustments
        where status = 'posted'
      ) as agreed full join (
        select merchant_id, document_id as id, debit_account, credit_account, currency, amount, count(*) as times
        from ledger_postings where kind = 'adjust'
        group by merchant_id, document_id, debit_account, credit_account, currency, amount
      ) as posted using (merchant_id, id, debit_account, credit_account, currency, amount)
      where agreed.times is distinct from posted.times`,
    { rows: { ledger_postings: adjustmentPostings } },
  ),
  invariant(
    'bank-equals-movements',
    "A requisite's account in the ledger has its bank's movements: opening balance, money in, money out, adjustments.",
    `select concat_ws(' ', name, currency) from (
        select account as name, currency, sum(balance) as balance from ledger_balances
        where account like 'bank:%' group by account, currency
      ) as held full join (
        select 'bank:' || requisite_id as name, currency, sum(amount) as amount from (
          select requisite_id, currency, amount from transfers where dedupe_key not like 'withdrawn:%'
          union all select requisite_id, transfers.currency, -parts.amount from transfer_parts as parts
            join transfers using (requisite_id) where transfers.id = parts.transfer_id and parts.kind = 'duplicate'
              and parts.replaced_at is null and transfers.dedupe_key not like 'withdrawn:%'
          union all select requisite_id, currency, -amount from transfer_reversals as reversals
            where transfer_id is not null and not exists (select from outgoing_transfers as carried
              where carried.document_id = reversals.id and carried.state = 'booked')
          union all select requisite_id, currency, -amount from overpayment_decisions as decisions
            where decision = 'refund' and reversed_at is null and not exists (select from outgoing_transfers as carried
              where carried.document_id = decisions.id and carried.state = 'booked')
          union all select requisite_id, currency, case when given_back then amount else -amount end
            from outgoing_transfers where state not in ('duplicate', 'withdrawn')
          union all select requisite_id, currency, balance from opening_balances
          union all select split_part(debit_account, ':', 2)::uuid, currency, amount from ledger_adjustments
            where status = 'posted' and debit_account like 'bank:%'
          union all select split_part(credit_account, ':', 2)::uuid, currency, -amount from ledger_adjustments
            where status = 'posted' and credit_account like 'bank:%'
        ) as movements group by requisite_id, currency
      ) as moved using (name, currency)
      where coalesce(held.balance, 0) <> coalesce(moved.amount, 0)`,
    'implied',
  ),
  invariant(
    'nothing-before-opening',
    'No money is recorded that its bank booked before the opening balance of its account.',
    `select concat_ws(' ', openings.requisite_id, early.id) from opening_balances as openings
      join lateral (
        select id from transfers where requisite_id = openings.requisite_id and booked_at < openings.begins_at
          and dedupe_key not like 'withdrawn:%'
        union all select id from outgoing_transfers where requisite_id = openings.requisite_id
          and booked_at < openings.begins_at and state <> 'withdrawn'
        union all select id from transfer_reversals where requisite_id = openings.requisite_id
          and booked_at < openings.begins_at and transfer_id is not null
        union all select id from overpayment_decisions where requisite_id = openings.requisite_id
          and booked_at < openings.begins_at and reversed_at is null
      ) as early on true`,
  ),
  invariant(
    'documents-exist',
    'The document of each posting and notification exists, in the same book.',
    `select concat_ws(' ', source, merchant_id, document_id) from (
        select 'ledger_postings' as source, merchant_id, document_id, transfer_id from ledger_postings
        where document_id is not null
        union all select 'outbox', merchant_id, document_id, null from outbox where document_id is not null
      ) as parts
      where not exists (select from settlements where settlements.merchant_id = parts.merchant_id
          and settlements.id = parts.document_id)
        and not exists (select from refunds where refunds.merchant_id = parts.merchant_id
          and refunds.id = parts.document_id)
        and not exists (select from overpayment_decisions as decisions where decisions.merchant_id = parts.merchant_id
          and decisions.id = parts.document_id)
        and not exists (select from ledger_adjustments as adjustments where adjustments.merchant_id = parts.merchant_id
          and adjustments.id = parts.document_id)
        and not exists (select from outgoing_transfers as outgoing where outgoing.id = parts.document_id
          and parts.merchant_id in ('${Object.values(serviceBooks).join(`', '`)}'))
        and not exists (select from opening_balances as openings where openings.requisite_id = parts.document_id)
        and not exists (select from transfer_reversals as reversals where reversals.id = parts.document_id
          and coalesce(parts.transfer_id, reversals.transfer_id) = reversals.transfer_id)`,
    { whole: ['settlements', 'refunds', 'overpayment_decisions', 'ledger_adjustments'] },
  ),
]
