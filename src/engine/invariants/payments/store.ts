import { type Invariant, invariant } from '../invariant.ts'
import { scaleOfPayment } from '../../money-sql.ts'
import { transitions } from '../../../rules/payments/payment.ts'

const payment = `concat_ws(' ', payments.merchant_id, payments.id)`
const credited = `('paid', 'disput-paid')`

/** The transition table of payments as SQL rows; it is our own data, never input. */
const allowedSteps = transitions
  .flatMap(({ from, to, trigger }) => from.map((status) => `('${status}', '${to}', '${trigger}')`))
  .join(', ')

const counts = ['created', 'shown', 'claimed', 'paid', 'expired', 'credited']
const hourOfId = `date_trunc('hour', to_timestamp(('x' || left(replace(payments.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0))`
const wasPaid = `payments.status in ${credited}`
const wasClaimed = `(${wasPaid} or claimed_at is not null or received > 0)`
const wasShown = `(${wasClaimed} or requisite_shown)`

/** Recently counted hours are counted again; for earlier ones, changes of payments are noted. */
const recentHours = {
  payments: `select recent.* from merchants cross join lateral (select payments.* from payments
    where payments.merchant_id = merchants.id and payments.id >= :hoursId) as recent`,
  payment_hours: `select * from payment_hours where hour >= :hoursFrom`,
}
/** Two holders can overlap only if one of them is a former one. */
const slotsOfRecent = `select distinct slots.* from requisites
  join past_slots on past_slots.requisite_id = requisites.id and past_slots.held_until >= :since
  join slots on slots.requisite_id = past_slots.requisite_id and slots.amount = past_slots.amount`
const pastSlotsOfChanged = `select past_slots.* from changed_payments
  join payments on payments.merchant_id = changed_payments.merchant_id and payments.id = changed_payments.payment_id
  join past_slots on past_slots.requisite_id = payments.requisite_id and past_slots.amount = payments.amount
    and past_slots.payment_id = payments.id`

/** The invariants of payments, their slots, events and acknowledgements (docs/domain.md §12); zero rows is healthy. */
export const paymentInvariants: readonly Invariant[] = [
  invariant(
    'received-equals-parts',
    'A payment has received the sum of the parts of transfers that went to it and were not taken back before.',
    `select ${payment} from payments left join (
        select merchant_id, payment_id, sum(amount) as amount from transfer_parts
        where kind = 'payment' and replaced_at is null group by merchant_id, payment_id
      ) as parts on parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id
      where payments.received <> coalesce(parts.amount, 0)`,
  ),
  invariant(
    'paid-within-tolerance',
    'A paid payment has received its amount, within the tolerance of its terms.',
    `select ${payment} from payments left join locked_terms as locked on locked.id = payments.terms_id
      where status = 'paid' and abs(received - amount)
        > coalesce(payments.terms ->> 'toleranceMinor', locked.terms ->> 'toleranceMinor')::bigint`,
  ),
  invariant(
    'terms-known',
    'A payment has the terms that it was created with.',
    `select ${payment} from payments left join locked_terms as locked on locked.id = payments.terms_id
      where terms_id is not null and locked.id is null`,
  ),
  invariant(
    'final-amount-received',
    'The finalAmount of a payment is the received amount, or one that two operators agreed on.',
    `select ${payment} from payments
      where final_amount <> received and not exists (
        select from disputes where disputes.merchant_id = payments.merchant_id and disputes.payment_id = payments.id
          and disputes.final_amount = payments.final_amount and correction_amount = disputes.final_amount
          and confirmed_by <> correction_by)`,
  ),
  invariant(
    'counted-hours-hold',
    'The counts of an hour agree with its payments as they are now, or the hour is noted as changed.',
    `select concat_ws(' ', merchant_id, hour, method, currency, bank) from (
        select merchant_id, hour, method, currency, bank, ${counts.join(', ')} from payment_hours
        union all
        select payments.merchant_id, ${hourOfId}, payments.method, payments.currency, requisites.bank_issuer,
          -1, -(${wasShown})::integer, -(${wasClaimed})::integer, -(${wasPaid})::integer,
          -(payments.status = 'expired' and ${wasShown})::integer,
          case when ${wasPaid} then -coalesce(final_amount, received) else 0 end
        from payments join requisites on requisites.id = payments.requisite_id
        where ${hourOfId} < (select counted_until from payment_hours_progress)
      ) as counted
      where not exists (select from payment_hour_changes as changed
        where changed.merchant_id = counted.merchant_id and changed.hour = counted.hour)
      group by merchant_id, hour, method, currency, bank
      having ${counts.map((each) => `sum(${each}) <> 0`).join(' or ')}`,
    { rows: recentHours },
  ),
  invariant(
    'slots-never-shared',
    'No two payments hold the same amount on a requisite at the same time, unless both share it.',
    `select concat_ws(' ', requisite_id, amount, payment_id) from (
        select requisite_id, amount, payment_id, taken_at, shares, max(held_until) over earlier as held_before,
          max(held_until) filter (where not shares) over earlier as held_alone_before
        from (
          select requisite_id, amount, payment_id, taken_at, max(held_until) as held_until, bool_and(shares) as shares
          from (
            select requisite_id, amount, payment_id, taken_at, held_until, shares from slots
            union all select requisite_id, amount, payment_id, taken_at, held_until, shares from past_slots
          ) as all_slots group by requisite_id, amount, payment_id, taken_at
        ) as holders
        window earlier as (partition by requisite_id, amount
          order by taken_at, held_until rows between unbounded preceding and 1 preceding)
      ) as in_order where held_alone_before > taken_at or (not shares and held_before > taken_at)`,
    { rows: { slots: slotsOfRecent } },
  ),
  invariant(
    'slots-never-forgotten',
    'A payment holds or held the slot of its amount on its requisite.',
    `select ${payment} from payments where not exists (select from slots where slots.requisite_id = payments.requisite_id
        and slots.amount = payments.amount and slots.payment_id = payments.id)
      and not exists (select from past_slots where past_slots.requisite_id = payments.requisite_id
        and past_slots.amount = payments.amount and past_slots.payment_id = payments.id)`,
    { whole: ['slots', 'past_slots'] },
  ),
  invariant(
    'open-payments-hold-slot',
    'A new or processing payment holds the slot of its amount on each requisite that its payer may use.',
    `select ${payment} from payments cross join lateral (values (payments.requisite_id), (switched_from)) as payable (requisite_id)
      left join slots on slots.requisite_id = payable.requisite_id
        and slots.amount = payments.amount and slots.payment_id = payments.id and slots.held_until > :now
      where payments.status in ('new', 'processing') and payable.requisite_id is not null and slots.payment_id is null
        and not (payments.shares_slot and exists (select from past_slots
          where past_slots.requisite_id = payable.requisite_id and past_slots.amount = payments.amount
            and past_slots.payment_id = payments.id and past_slots.held_until > :now))`,
    { whole: ['slots', 'past_slots'] },
  ),
  invariant(
    'total-equals-quote',
    'The total of a payment is its amount at its rate, rounded down to the decimals of its quote currency.',
    `select ${payment} from payments
      where payments.total <> div(payments.amount::numeric * ${scaleOfPayment}, payments.rate_price::numeric)`,
  ),
  invariant(
    'held-money-in-suspense',
    'Money of a payment waits in suspense until the payment is credited, and no longer.',
    `select ${payment} from payments left join (
        select merchant_id, payment_id, sum(case when credit_account = 'suspense' then amount else -amount end) as amount
        from ledger_postings where 'suspense' in (credit_account, debit_account) and payment_id is not null
        group by merchant_id, payment_id
      ) as held on held.merchant_id = payments.merchant_id and held.payment_id = payments.id
      where coalesce(held.amount, 0) <> case when status in ${credited} then 0 else received end`,
  ),
  invariant(
    'due-while-open',
    'Exactly the new and processing payments have a time at which the clock changes them.',
    `select ${payment} from payments where (due_at is not null) <> (status in ('new', 'processing'))`,
  ),
  invariant(
    'nothing-overdue',
    'The clock changes a payment no later than 60 seconds after its time.',
    `select ${payment} from payments where due_at < :now - interval '60 seconds'`,
  ),
  invariant(
    'events-gapless',
    'The events of a payment are numbered from 1 to its sequence without gaps.',
    `select concat_ws(' ', merchant_id, payment_id) from (
        select merchant_id, id as payment_id, sequence from payments
      ) as payments full join (
        select merchant_id, payment_id, count(*) as events, min(sequence) as first, max(sequence) as last
        from payment_events group by merchant_id, payment_id
      ) as numbered using (merchant_id, payment_id)
      where (numbered.first, numbered.events, numbered.last) is distinct from (1, sequence, sequence)`,
  ),
  invariant(
    'events-in-table',
    'A payment starts as new; each change of its status is in the transition table, and not before the former one.',
    `select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, status, trigger, at, lag(status) over its as former, lag(at) over its as former_at
        from payment_events window its as (partition by merchant_id, payment_id order by sequence)
      ) as steps left join (values ${allowedSteps}) as allowed (from_status, to_status, by_trigger)
        on from_status = former and to_status = status and by_trigger = trigger
      where at < former_at or case when former is null then status <> 'new' or trigger <> 'created' else by_trigger is null end`,
  ),
  invariant(
    'last-event-is-status',
    'The status, reason and time of a payment are those of its last event.',
    `select ${payment} from payments join payment_events as events on events.merchant_id = payments.merchant_id
        and events.payment_id = payments.id and events.sequence = payments.sequence
      where (events.status, events.status_reason, events.at)
        is distinct from (payments.status, payments.status_reason, payments.changed_at)`,
  ),
  invariant(
    'nothing-crosses-merchants',
    'Whatever belongs to a payment belongs to its merchant, and an owned requisite serves its owner only.',
    `select concat_ws(' ', source, merchant_id, payment_id) from (
        select 'payment_events' as source, merchant_id, payment_id from payment_events
        union all select 'outbox', merchant_id, payment_id from outbox
        union all select 'payment_acknowledgements', merchant_id, payment_id from payment_acknowledgements
        union all select 'transfer_parts', merchant_id, payment_id from transfer_parts
        union all select 'ledger_postings', merchant_id, payment_id from ledger_postings
        union all select 'slots', merchant_id, payment_id from slots
        union all select 'past_slots', merchant_id, payment_id from past_slots
        union all select 'simulated_steps', merchant_id, payment_id from simulated_steps
        union all select 'simulated_bookings', merchant_id, payment_id from simulated_bookings
        union all select 'deliveries', merchant_id, payment_id from deliveries
        union all select 'disputes', merchant_id, payment_id from disputes
        union all select 'risk_decisions', merchant_id, payment_id from risk_decisions
        union all select 'risk_uses', merchant_id, payment_id from risk_uses
      ) as parts where payment_id is not null and not exists (
        select from payments where payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id)
      union all
      select concat_ws(' ', 'requisites', payments.merchant_id, payments.id) from payments
        join requisites on requisites.id = payments.requisite_id where requisites.merchant_id <> payments.merchant_id
      union all
      select concat_ws(' ', 'ledger_balances', merchant_id, account) from ledger_balances
        where account like 'merchant:%' and split_part(account, ':', 2) <> merchant_id::text`,
    { rows: { past_slots: pastSlotsOfChanged, risk_uses: 'select * from risk_uses where at >= :since' } },
  ),
  invariant(
    'modes-never-mix',
    'A live merchant is paid on real requisites only, a sandbox merchant on made-up ones only.',
    `select ${payment} from payments join merchants on merchants.id = payments.merchant_id
      join requisites on requisites.id = payments.requisite_id where requisites.mode <> merchants.mode`,
  ),
  invariant(
    'acknowledgements-of-credits',
    'An acknowledgement belongs to a paid or disput-paid event and is not before it.',
    `select concat_ws(' ', acknowledgements.merchant_id, acknowledgements.payment_id, acknowledgements.sequence)
      from payment_acknowledgements as acknowledgements
      left join payment_events as events on events.merchant_id = acknowledgements.merchant_id
        and events.payment_id = acknowledgements.payment_id and events.sequence = acknowledgements.sequence
        and events.status in ${credited} and events.at <= acknowledgements.acknowledged_at
      where events.payment_id is null`,
  ),
  invariant(
    'acknowledged-once',
    'A payment is acknowledged exactly when its current credit is, by one acknowledgement at the same time.',
    `select ${payment} from payments left join (
        select merchant_id, payment_id, sequence, acknowledged_at from payment_acknowledgements
      ) as noted on noted.merchant_id = payments.merchant_id and noted.payment_id = payments.id
        and noted.sequence = payments.sequence
      where (noted.acknowledged_at, noted.sequence)
          is distinct from (payments.acknowledged_at, payments.acknowledged_sequence)
        or (payments.acknowledged_at is not null and payments.status not in ${credited})`,
  ),
]
