import { paidForStatuses, type RefundStatus, refundTransitions } from '../../../rules/transfers/refund.ts'
import { type Invariant, invariant } from '../invariant.ts'

const named = (statuses: readonly RefundStatus[]): string => statuses.map((status) => `'${status}'`).join(', ')

/** The transition table of refunds as SQL rows; it is our own data, never input. */
const steps = Object.values(refundTransitions)
  .flatMap(({ from, to }) => from.map((status) => `('${status}', '${to}')`))
  .join(', ')

const refundBalances = `select ledger_balances.* from changed_payments
  join ledger_balances on ledger_balances.merchant_id = changed_payments.merchant_id
    and ledger_balances.account = 'refund:' || changed_payments.payment_id`

/** The invariants of refunds (docs/domain.md §8.7, §12); zero rows is healthy. */
export const refundInvariants: readonly Invariant[] = [
  invariant(
    'refunds-hold-money',
    'What waits for the payer of a payment is the sum of its refunds that are not sent yet.',
    `select concat_ws(' ', merchant_id, payment_id) from (
        select merchant_id, payment_id, sum(amount) as amount from refunds
        where status in ('requested', 'approved') group by merchant_id, payment_id
      ) as waiting full join (
        select merchant_id, split_part(account, ':', 2)::uuid as payment_id, -sum(balance) as amount from ledger_balances
        where account like 'refund:%' group by merchant_id, account
      ) as held using (merchant_id, payment_id)
      where coalesce(waiting.amount, 0) <> coalesce(held.amount, 0)`,
    { rows: { ledger_balances: refundBalances } },
  ),
  invariant(
    'refunds-paid-once',
    'A refund has taken its share of the balance and the fee once, and nothing if it was given up.',
    `select concat_ws(' ', refunds.merchant_id, refunds.id) from refunds
      left join (
        select merchant_id, document_id, -sum(sign * amount) filter (where account like 'merchant:%') as net,
          -sum(sign * amount) filter (where account = 'fees') as fee
        from (
          select merchant_id, document_id, kind, credit_account as account, amount, 1 as sign from ledger_postings
          union all select merchant_id, document_id, kind, debit_account, amount, -1 from ledger_postings
        ) as sides where kind = 'refund' group by merchant_id, document_id
      ) as taken on taken.merchant_id = refunds.merchant_id and taken.document_id = refunds.id
      where (coalesce(taken.net, 0), coalesce(taken.fee, 0)) <> (
        case when status in (${named(paidForStatuses)}) then refunds.net else 0 end,
        case when status in (${named(paidForStatuses)}) then refunds.fee else 0 end)`,
  ),
  invariant(
    'refunds-within-credit',
    'The refunds of a payment give back at most what it was credited with.',
    `select concat_ws(' ', payments.merchant_id, payments.id) from payments join (
        select merchant_id, payment_id, sum(amount) as amount from refunds
        where status in (${named(paidForStatuses)}) group by merchant_id, payment_id
      ) as given on given.merchant_id = payments.merchant_id and given.payment_id = payments.id
      where given.amount > coalesce(payments.final_amount, payments.received)`,
  ),
  invariant(
    'refunds-in-table',
    'The events of a refund are gapless; each step is in the table; the last is its status.',
    `select concat_ws(' ', refunds.merchant_id, refunds.id) from refunds left join (
        select merchant_id, refund_id, count(*) as events, max(sequence) as last,
          (array_agg(status order by sequence desc))[1] as status,
          bool_and(case when former is null then status = 'requested' and sequence = 1
            else (former, status) in (values ${steps}) and at >= former_at end) as fits
        from (
          select merchant_id, refund_id, sequence, status, at,
            lag(status) over by_refund as former, lag(at) over by_refund as former_at
          from refund_events
          window by_refund as (partition by merchant_id, refund_id order by sequence)
        ) as steps group by merchant_id, refund_id
      ) as noted on noted.merchant_id = refunds.merchant_id and noted.refund_id = refunds.id
      where (noted.fits, noted.events, noted.last, noted.status)
        is distinct from (true, refunds.sequence, refunds.sequence, refunds.status)`,
  ),
  invariant(
    'refunds-done-by-bank',
    'A sent refund has left an account by its decision, and only a done one is what a bank has reported of it.',
    `select concat_ws(' ', refunds.merchant_id, refunds.id) from refunds
      left join overpayment_decisions as decisions on decisions.merchant_id = refunds.merchant_id
        and decisions.id = refunds.decision_id and decisions.decision = 'refund' and decisions.reversed_at is null
        and decisions.payment_id = refunds.payment_id and decisions.amount = refunds.amount
      where refunds.status in ('sent', 'done') and (decisions.id is null or (refunds.status = 'done') <> exists (
        select from outgoing_transfers as carried where carried.document_id = decisions.id
          and carried.purpose = 'refund' and carried.state = 'booked'))`,
    { whole: ['outgoing_transfers'] },
  ),
]
