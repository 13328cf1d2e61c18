import { type Invariant, invariant } from '../../database/invariant.ts'
import { settlementTransitions } from '../../domain/settlement.ts'

const payment = `concat_ws(' ', payments.merchant_id, payments.id)`

/** The transition table of settlements as rows of SQL; it is data of ours, never input. */
const steps = settlementTransitions.flatMap(({ from, to }) => from.map((status) => `('${status}', '${to}')`)).join(', ')

/** The invariants of money beyond a single payment (domain rules §8, §12); zero rows is healthy. */
export const moneyInvariants: readonly Invariant[] = [
  invariant(
    'transfers-posted-once',
    'The ledger has received each transfer once, on the account of its requisite, and nothing else but adjustments.',
    `select concat_ws(' ', posted.debit_account, coalesce(transfers.id, posted.transfer_id)) from transfers full join (
        select debit_account, transfer_id, currency, sum(amount) as amount from ledger_postings
        where debit_account like 'bank:%' and kind <> 'adjust' group by debit_account, transfer_id, currency
      ) as posted on posted.transfer_id = transfers.id and posted.currency = transfers.currency
        and posted.debit_account = 'bank:' || transfers.requisite_id
      where posted.amount is distinct from transfers.amount`,
  ),
  invariant(
    'credits-equal-quote',
    'A credited payment has given its merchant what it keeps at its rate, less the exact fee and rounding; others nothing.',
    `select ${payment} from payments
      join unnest(:currencies, :scales) as quote (currency, scale) on quote.currency = payments.currency
      left join (
        select merchant_id, payment_id, sum(amount) as amount from transfer_reversals
        where effect = 'credit' group by merchant_id, payment_id
      ) as taken on taken.merchant_id = payments.merchant_id and taken.payment_id = payments.id
      cross join lateral (select case when payments.status in ('paid', 'disput-paid')
        then div((payments.received - coalesce(taken.amount, 0))::numeric * quote.scale, payments.rate_price::numeric)
        else 0 end as gross) as due
      cross join lateral (select least(
          greatest(
            due.gross * (payments.terms ->> 'feePpm')::numeric
              + coalesce((payments.terms ->> 'feeFixedMicro')::numeric, 0) * 1000000,
            coalesce((payments.terms ->> 'feeMinMicro')::numeric, 0) * 1000000),
          coalesce((payments.terms ->> 'feeMaxMicro')::numeric, 999999999999999) * 1000000,
          due.gross * 1000000) as exact) as wanted
      cross join lateral (select div(wanted.exact, 1000000) as fee,
        case when payments.terms ->> 'feeFixedMicro' is not null and mod(wanted.exact, 1000000) <> 0 then 1 else 0 end
          as rounding) as cut
      left join (
        select merchant_id, payment_id, sum(sign * amount) filter (where account like 'merchant:%') as net,
          sum(sign * amount) filter (where account = 'fees') as fee,
          sum(sign * amount) filter (where account = 'rounding') as rounding
        from (
          select merchant_id, payment_id, kind, credit_account as account, amount, 1 as sign from ledger_postings
          union all select merchant_id, payment_id, kind, debit_account, amount, -1 from ledger_postings
        ) as sides where payment_id is not null and kind in ('credit', 'fee', 'rounding', 'reverse')
        group by merchant_id, payment_id
      ) as given on given.merchant_id = payments.merchant_id and given.payment_id = payments.id
      where payments.status <> 'disput'
        and (coalesce(given.fee, 0), coalesce(given.rounding, 0), coalesce(given.net, 0))
          <> (cut.fee, cut.rounding, due.gross - cut.fee - cut.rounding)`,
  ),
  invariant(
    'settlements-hold-balance',
    'What a merchant has held is the sum of its open settlements, and what was paid out that of the paid ones.',
    `select concat_ws(' ', merchant_id, currency) from (
        select merchant_id, currency, sum(amount) filter (where status in ('draft', 'approved')) as open,
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
  ),
  invariant(
    'settlements-in-table',
    'The events of a settlement are numbered without gaps from its draft, each step in the table, the last its status.',
    `select concat_ws(' ', settlements.merchant_id, settlements.id) from settlements left join (
        select merchant_id, settlement_id, count(*) as events, max(sequence) as last,
          (array_agg(status order by sequence desc))[1] as status,
          bool_and(case when former is null then status = 'draft' and sequence = 1
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
    'second-person-confirmed',
    'No large settlement was approved, and no adjustment posted, by its own author.',
    `select concat_ws(' ', merchant_id, id) from settlements
      where second_person and status in ('approved', 'paid') and approved_by = drafted_by
      union all
      select concat_ws(' ', merchant_id, id) from ledger_adjustments
      where status = 'posted' and decided_by = drafted_by`,
  ),
  invariant(
    'settlements-told-once',
    'Each paid settlement is in the outbox once, and no other is.',
    `select concat_ws(' ', merchant_id, settlement_id) from (
        select merchant_id, id as settlement_id, 1 as told from settlements where status = 'paid'
      ) as paid full join (
        select merchant_id, settlement_id, count(*) as told from outbox where kind = 'settlement.paid'
        group by merchant_id, settlement_id
      ) as news using (merchant_id, settlement_id)
      where paid.told is distinct from news.told`,
  ),
  invariant(
    'overpayments-add-up',
    'What the payer of a payment is owed is what came too much, less what was decided and what its bank took back.',
    `select concat_ws(' ', merchant_id, payment_id) from (
        select merchant_id, payment_id, sum(amount) as amount from (
          select merchant_id, payment_id, amount from transfer_allocations where kind = 'overpayment'
          union all select merchant_id, payment_id, -amount from overpayment_decisions
          union all select merchant_id, payment_id, -amount from transfer_reversals where effect = 'overpayment'
        ) as parts group by merchant_id, payment_id
      ) as due full join (
        select merchant_id, split_part(account, ':', 2)::uuid as payment_id, -sum(balance) as amount from ledger_balances
        where account like 'overpayment:%' group by merchant_id, account
      ) as owed using (merchant_id, payment_id)
      where coalesce(due.amount, 0) <> coalesce(owed.amount, 0) or owed.amount < 0`,
  ),
  invariant(
    'assigned-at-the-rate',
    'An overpayment that was assigned gave the merchant, the fee and the rounding together its worth at the rate.',
    `select concat_ws(' ', decisions.merchant_id, decisions.id) from overpayment_decisions as decisions
      join payments on payments.merchant_id = decisions.merchant_id and payments.id = decisions.payment_id
      join unnest(:currencies, :scales) as quote (currency, scale) on quote.currency = payments.currency
      left join (
        select merchant_id, document_id, sum(amount) as amount from ledger_postings
        where kind = 'assign' and currency = 'USDT' group by merchant_id, document_id
      ) as given on given.merchant_id = decisions.merchant_id and given.document_id = decisions.id
      where coalesce(given.amount, 0) <> case when decision = 'assign'
        then div(decisions.amount::numeric * quote.scale, payments.rate_price::numeric) else 0 end`,
  ),
  invariant(
    'reversals-posted-once',
    'The ledger has taken back each reversed part of a transfer once, whole, on the account of its requisite.',
    `select concat_ws(' ', coalesce(reversals.transfer_id, posted.transfer_id), posted.credit_account)
      from transfer_reversals as reversals
      left join transfer_allocations as parts on (parts.requisite_id, parts.transfer_id, parts.part)
        = (reversals.requisite_id, reversals.transfer_id, reversals.part)
      full join (
        select document_id, transfer_id, credit_account, currency, sum(amount) as amount from ledger_postings
        where kind = 'reverse' and credit_account like 'bank:%'
        group by document_id, transfer_id, credit_account, currency
      ) as posted on posted.document_id = reversals.id and posted.transfer_id = reversals.transfer_id
        and posted.credit_account = 'bank:' || reversals.requisite_id and posted.currency = reversals.currency
      where posted.amount is distinct from reversals.amount or parts.amount is distinct from reversals.amount`,
  ),
  invariant(
    'adjustments-posted-once',
    'Each posted adjustment is in the ledger once, as it was agreed, and no other is.',
    `select concat_ws(' ', merchant_id, id) from (
        select merchant_id, id, debit_account, credit_account, currency, amount, 1 as times from ledger_adjustments
        where status = 'posted'
      ) as agreed full join (
        select merchant_id, document_id as id, debit_account, credit_account, currency, amount, count(*) as times
        from ledger_postings where kind = 'adjust'
        group by merchant_id, document_id, debit_account, credit_account, currency, amount
      ) as posted using (merchant_id, id, debit_account, credit_account, currency, amount)
      where agreed.times is distinct from posted.times`,
  ),
  invariant(
    'documents-exist',
    'What a posting or a notification belongs to exists, in the same book.',
    `select concat_ws(' ', place, merchant_id, document_id) from (
        select 'ledger_postings' as place, merchant_id, document_id from ledger_postings
        where document_id is not null
        union all select 'outbox', merchant_id, settlement_id from outbox where settlement_id is not null
      ) as parts
      where not exists (select from settlements where settlements.merchant_id = parts.merchant_id
          and settlements.id = parts.document_id)
        and not exists (select from overpayment_decisions as decisions where decisions.merchant_id = parts.merchant_id
          and decisions.id = parts.document_id)
        and not exists (select from ledger_adjustments as adjustments where adjustments.merchant_id = parts.merchant_id
          and adjustments.id = parts.document_id)
        and not exists (select from transfer_reversals as reversals where reversals.id = parts.document_id
          and coalesce(reversals.merchant_id, '00000000-0000-0000-0000-000000000000') = parts.merchant_id)`,
  ),
]
