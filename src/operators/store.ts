import { array, bigint, instant, integer, nullable, type Statement, statement, text } from '../database/statement.ts'
import type { Instant } from '../domain/time.ts'

/** The last sequence number and hash of the audit chain, locked. */
export const lockAuditHead = statement({
  name: 'lock_audit_head',
  parameters: {},
  row: { sequence: bigint, hash: text },
  // Excludes every other entry, so that the chain has one order.
  text: `select sequence, hash from audit_head where id = 1 for update`,
})

const entryRow = {
  sequence: bigint,
  at: instant,
  actor: text,
  action: text,
  subject: text,
  details: text,
  previousHash: text,
  hash: text,
}

/** Appends an entry and moves the head. */
export const insertAuditEntry = statement({
  name: 'insert_audit_entry',
  parameters: entryRow,
  row: {},
  text: `with head as (update audit_head set sequence = :sequence, hash = :hash where id = 1)
    insert into audit_entries (sequence, at, actor, action, subject, details, previous_hash, hash)
    values (:sequence, :at, :actor, :action, :subject, :details, :previousHash, :hash)`,
})

/** Entries after a sequence number. */
export const listAuditEntries = statement({
  name: 'list_audit_entries',
  parameters: { after: bigint, limit: integer },
  row: entryRow,
  text: `select sequence, at, actor, action, subject, details, previous_hash, hash from audit_entries
    where sequence > :after order by sequence limit :limit`,
})

/** The head of the audit chain. */
export const findAuditHead = statement({
  name: 'find_audit_head',
  parameters: {},
  row: { sequence: bigint, hash: text, at: nullable(instant) },
  text: `select audit_head.sequence, audit_head.hash, audit_entries.at from audit_head
    left join audit_entries on audit_entries.sequence = audit_head.sequence where audit_head.id = 1`,
})

/** What invariants compare the data with; each query takes what it needs of it. */
export type InvariantParameters = {
  readonly now: Instant
  /** The transition table of payments, one row per status that may change. */
  readonly froms: readonly string[]
  readonly tos: readonly string[]
  readonly triggers: readonly string[]
  readonly currencies: readonly string[]
  /** Quote units, scaled like a price, of one minor unit of each of the currencies. */
  readonly scales: readonly bigint[]
}

/** An invariant of the domain: what always holds, and the query that finds the rows for which it does not. */
export type Invariant = {
  readonly name: string
  readonly meaning: string
  readonly find: Statement<InvariantParameters, { readonly example: string; readonly broken: bigint }>
}

/** Most rows that a query of an invariant returns; it counts all of them. */
const maxExamples = 20

const known = {
  now: instant,
  froms: array(text),
  tos: array(text),
  triggers: array(text),
  currencies: array(text),
  scales: array(bigint),
}

/** `select` has one column, the text that names a broken row. */
const invariant = (name: string, meaning: string, select: string): Invariant => {
  const used = Object.entries(known).filter(([parameter]) => select.includes(`:${parameter}`))
  const find = statement({
    name: `invariant_${name.replaceAll('-', '_')}`,
    parameters: Object.fromEntries(used) as typeof known,
    row: { example: text, broken: bigint },
    text: `select example, count(*) over () as broken from (${select}) as found (example) limit ${maxExamples}`,
  })
  return { name, meaning, find }
}

const payment = `concat_ws(' ', payments.merchant_id, payments.id)`
const credited = `('paid', 'disput-paid')`

/** The invariants of domain rules §12 that are queries; zero rows is healthy. */
export const invariants: readonly Invariant[] = [
  invariant(
    'postings-have-two-sides',
    'Every posting moves an amount > 0 between two different accounts.',
    `select id::text from ledger_postings where amount <= 0 or debit_account = credit_account`,
  ),
  invariant(
    'balances-equal-postings',
    'Every stored balance is the sum of its postings.',
    `select concat_ws(' ', merchant_id, account, currency) from ledger_balances full join (
        select merchant_id, account, currency, sum(amount) as balance from (
          select merchant_id, debit_account as account, currency, amount from ledger_postings
          union all select merchant_id, credit_account, currency, -amount from ledger_postings
        ) as sides group by merchant_id, account, currency
      ) as moved using (merchant_id, account, currency)
      where coalesce(ledger_balances.balance, 0) <> coalesce(moved.balance, 0)`,
  ),
  invariant(
    'balances-sum-to-zero',
    'The balances of a book add up to zero in each currency.',
    `select concat_ws(' ', merchant_id, currency) from ledger_balances
      group by merchant_id, currency having sum(balance) <> 0`,
  ),
  invariant(
    'transfers-disposed-of',
    'The parts of a transfer add up to its amount.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id) from transfers left join (
        select requisite_id, transfer_id, sum(amount) as amount from transfer_allocations
        where reversed_at is null group by requisite_id, transfer_id
      ) as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
      where parts.amount is distinct from transfers.amount`,
  ),
  invariant(
    'transfers-posted-once',
    'The ledger has received each transfer once, on the account of its requisite, and nothing else from a bank.',
    `select concat_ws(' ', posted.bank, coalesce(transfers.id, posted.transfer_id)) from transfers full join (
        select bank, transfer_id, currency, sum(amount) as amount from (
          select debit_account as bank, transfer_id, currency, amount from ledger_postings
            where debit_account like 'bank:%'
          -- What is taken from one payment is taken back from the bank, and received again for another; what
          -- the bank itself took back is in returned-money-left-bank.
          union all select credit_account, transfer_id, currency, -amount from ledger_postings
            where credit_account like 'bank:%' and transfer_id is not null and kind <> 'return'
        ) as sides group by bank, transfer_id, currency
      ) as posted on posted.transfer_id = transfers.id and posted.currency = transfers.currency
        and posted.bank = 'bank:' || transfers.requisite_id
      where posted.amount is distinct from transfers.amount`,
  ),
  invariant(
    'transfers-stored-once',
    `A bank's reference stands for one transfer of an amount on a requisite.`,
    `select concat_ws(' ', requisite_id, bank_reference) from transfers
      where bank_reference is not null and dedupe_key not like 'returned:%'
      group by requisite_id, bank_reference, amount having count(*) > 1`,
  ),
  invariant(
    'returned-money-left-bank',
    'What a bank took back, and what was undone, has left the account of its requisite once, and nothing else has.',
    `select concat_ws(' ', gone.requisite_id, coalesce(gone.transfer_id, posted.transfer_id)) from (
        select requisite_id, transfer_id from transfer_allocations where kind = 'returned' and reversed_at is null
        union select requisite_id, transfer_id from transfer_reversals where transfer_id is not null
      ) as gone full join (
        select credit_account, transfer_id, sum(amount) as amount from ledger_postings
        where credit_account like 'bank:%' and kind = 'return' group by credit_account, transfer_id
      ) as posted on posted.transfer_id = gone.transfer_id and posted.credit_account = 'bank:' || gone.requisite_id
      left join transfers on transfers.requisite_id = gone.requisite_id and transfers.id = gone.transfer_id
      where posted.amount is distinct from transfers.amount`,
  ),
  invariant(
    'statement-rows-recorded',
    'Every booked row of an imported statement is a transfer of its amount on its requisite.',
    `select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id
      left join transfers on transfers.requisite_id = rows.requisite_id and transfers.id = rows.transfer_id
      where statements.state in ('imported', 'undone') and rows.kind = 'booked'
        and transfers.amount is distinct from rows.amount`,
  ),
  invariant(
    'transfers-brought-once',
    'A transfer was brought by one row of one statement at most; all others repeat it.',
    `select concat_ws(' ', requisite_id, transfer_id) from statement_rows where kind = 'booked' and not repeated
      group by requisite_id, transfer_id having count(*) > 1`,
  ),
  invariant(
    'undone-statements-hold-nothing',
    'No money that an undone statement brought is held anywhere.',
    `select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id and statements.state = 'undone'
      join transfer_allocations as parts on parts.requisite_id = rows.requisite_id
        and parts.transfer_id = rows.transfer_id
      where rows.kind = 'booked' and not rows.repeated and parts.kind <> 'returned' and parts.reversed_at is null`,
  ),
  invariant(
    'statements-stand-for-contents',
    'A file has one statement that is ready, importing or imported, and every such statement has a file.',
    `select coalesce(statements.id, contents.statement_id)::text from statements
      full join statement_contents as contents on contents.statement_id = statements.id
        and contents.content_hash = statements.content_hash
      where (contents.statement_id is not null)
        is distinct from coalesce(statements.state in ('ready', 'importing', 'imported'), false)`,
  ),
  invariant(
    'suspense-has-case',
    'Money in suspense has an open case, and every open case has money in suspense.',
    `select concat_ws(' ', requisite_id, transfer_id) from (
        select distinct requisite_id, transfer_id, 1 as part from transfer_allocations
        where kind = 'suspense' and reversed_at is null
      ) as parts full join (
        select requisite_id, transfer_id, opened_at from suspense_cases where resolved_at is null
      ) as cases using (requisite_id, transfer_id)
      where opened_at is null or part is null`,
  ),
  invariant(
    'credits-fit-payment',
    'Money goes only to a payment whose payer was shown the requisite, or one of its account, in its currency.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id, allocations.payment_id)
      from transfer_allocations as allocations
      join transfers on transfers.requisite_id = allocations.requisite_id and transfers.id = allocations.transfer_id
      left join payments on payments.merchant_id = allocations.merchant_id and payments.id = allocations.payment_id
      where allocations.payment_id is not null and allocations.reversed_at is null and (payments.currency is distinct from transfers.currency or (
          payments.requisite_id is distinct from allocations.requisite_id
          and payments.switched_from is distinct from allocations.requisite_id
          -- An account that several requisites share books its money on the first of them.
          and not exists (select from statement_accounts as booked
            join statement_accounts as shown on shown.number_index = booked.number_index
            where booked.requisite_id = allocations.requisite_id
              and shown.requisite_id in (payments.requisite_id, payments.switched_from))))`,
  ),
  invariant(
    'received-equals-parts',
    'What a payment has received is the sum of the parts of transfers that went to it.',
    `select ${payment} from payments left join (
        select merchant_id, payment_id, sum(amount) as amount from transfer_allocations
        where kind = 'payment' and reversed_at is null group by merchant_id, payment_id
      ) as parts on parts.merchant_id = payments.merchant_id and parts.payment_id = payments.id
      where payments.received <> coalesce(parts.amount, 0)`,
  ),
  invariant(
    'paid-within-tolerance',
    'A paid payment has received its amount, give or take the tolerance of its terms.',
    `select ${payment} from payments
      where status = 'paid' and abs(received - amount) > (terms ->> 'toleranceMinor')::bigint`,
  ),
  invariant(
    'final-amount-received',
    'A disput-paid payment and no other has a finalAmount, and it is what was received or two operators agreed on.',
    `select ${payment} from payments
      where (status = 'disput-paid') <> (final_amount is not null) or (final_amount <> received and not exists (
        select from disputes where disputes.merchant_id = payments.merchant_id and disputes.payment_id = payments.id
          and disputes.final_amount = payments.final_amount and correction_amount = disputes.final_amount
          and confirmed_by <> correction_by))`,
  ),
  invariant(
    'money-where-status-allows',
    'A payment that is new, expired, canceled or failed has received nothing.',
    `select ${payment} from payments
      where received <> 0 and status not in ('processing', 'paid', 'disput', 'disput-paid')`,
  ),
  invariant(
    'order-ids-unique',
    'An orderId stands for one payment of a merchant.',
    `select concat_ws(' ', merchant_id, order_id) from payments group by merchant_id, order_id having count(*) > 1`,
  ),
  invariant(
    'slots-never-shared',
    'No two payments hold the same amount on a requisite at the same time.',
    `select concat_ws(' ', requisite_id, amount, payment_id) from (
        select requisite_id, amount, payment_id, taken_at, max(held_until) over (partition by requisite_id, amount
            order by taken_at, held_until rows between unbounded preceding and 1 preceding) as held_before
        from (
          select requisite_id, amount, payment_id, taken_at, max(held_until) as held_until from (
            select requisite_id, amount, payment_id, taken_at, held_until from slots
            union all select requisite_id, amount, payment_id, taken_at, held_until from past_slots
          ) as all_slots group by requisite_id, amount, payment_id, taken_at
        ) as holders
      ) as in_order where held_before > taken_at`,
  ),
  invariant(
    'slots-never-forgotten',
    'Every payment is among those who hold or held the slot of its amount on its requisite.',
    `select ${payment} from payments where not exists (select from slots where slots.requisite_id = payments.requisite_id
        and slots.amount = payments.amount and slots.payment_id = payments.id)
      and not exists (select from past_slots where past_slots.requisite_id = payments.requisite_id
        and past_slots.amount = payments.amount and past_slots.payment_id = payments.id)`,
  ),
  invariant(
    'open-payments-hold-slot',
    'A payment that is new or processing holds the slot of its amount on each requisite that its payer may use.',
    `select ${payment} from payments cross join lateral (values (requisite_id), (switched_from)) as place (used)
      left join slots on slots.requisite_id = place.used
        and slots.amount = payments.amount and slots.payment_id = payments.id and slots.held_until > :now
      where payments.status in ('new', 'processing') and place.used is not null and slots.payment_id is null`,
  ),
  invariant(
    'amounts-in-bounds',
    'Amounts are positive where they must be and have at most 15 digits.',
    `select concat_ws(' ', place, id) from (
        select 'payments.amount' as place, id, amount as value, 1 as smallest from payments
        union all select 'payments.total', id, total, 0 from payments
        union all select 'payments.received', id, received, 0 from payments
        union all select 'payments.final_amount', id, final_amount, 1 from payments
        union all select 'transfers', id, amount, 1 from transfers
        union all select 'transfer_allocations', transfer_id, amount, 1 from transfer_allocations
        union all select 'slots', payment_id, amount, 1 from slots
      ) as amounts where value not between smallest and 999999999999999`,
  ),
  invariant(
    'total-equals-quote',
    'The total of a payment is its amount at its rate, rounded down to 6 decimals.',
    `select ${payment} from payments
      join unnest(:currencies, :scales) as quote (currency, scale) on quote.currency = payments.currency
      where payments.total <> div(payments.amount::numeric * quote.scale, payments.rate_price::numeric)`,
  ),
  invariant(
    'credits-equal-quote',
    'A credited payment has given the merchant what was received at its rate less the exact fee; others gave nothing.',
    `select ${payment} from payments
      join unnest(:currencies, :scales) as quote (currency, scale) on quote.currency = payments.currency
      cross join lateral (select case when payments.status in ${credited}
        then div(coalesce(payments.final_amount, payments.received)::numeric * quote.scale, payments.rate_price::numeric)
          else 0 end as gross) as due
      cross join lateral (select div(due.gross * (payments.terms ->> 'feePpm')::numeric, 1000000) as fee) as cut
      left join (
        select merchant_id, payment_id, sum(sign * amount) filter (where account like 'merchant:%') as net,
          sum(sign * amount) filter (where account = 'fees') as fee
        from (
          select merchant_id, payment_id, credit_account as account, amount, 1 as sign from ledger_postings
          union all select merchant_id, payment_id, debit_account, amount, -1 from ledger_postings
        ) as sides where payment_id is not null and (account like 'merchant:%' or account = 'fees')
        group by merchant_id, payment_id
      ) as given on given.merchant_id = payments.merchant_id and given.payment_id = payments.id
      where coalesce(given.fee, 0) <> cut.fee or coalesce(given.net, 0) <> due.gross - cut.fee`,
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
    'A payment has a time at which the clock changes it while it is new or processing, and only then.',
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
    'A payment starts as new, and each change of its status is in the transition table.',
    `select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, status, trigger,
          lag(status) over (partition by merchant_id, payment_id order by sequence) as former from payment_events
      ) as steps left join unnest(:froms, :tos, :triggers) as allowed (from_status, to_status, by_trigger)
        on from_status = former and to_status = status and by_trigger = trigger
      where case when former is null then status <> 'new' or trigger <> 'created' else by_trigger is null end`,
  ),
  invariant(
    'events-in-time',
    'The time of the events of a payment never goes back.',
    `select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, at,
          lag(at) over (partition by merchant_id, payment_id order by sequence) as former from payment_events
      ) as steps where at < former`,
  ),
  invariant(
    'last-event-is-status',
    'The status of a payment, its reason and its time are those of the last event.',
    `select ${payment} from payments join payment_events as events on events.merchant_id = payments.merchant_id
        and events.payment_id = payments.id and events.sequence = payments.sequence
      where (events.status, events.status_reason, events.at)
        is distinct from (payments.status, payments.status_reason, payments.changed_at)`,
  ),
  invariant(
    'events-told-once',
    'Each event of a payment is in the outbox once, and the outbox tells of no other change.',
    `select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, 'payment.' || status as kind, 1 as events from payment_events
      ) as changes full join (
        select merchant_id, payment_id, sequence, kind, count(*) as told from outbox
        where kind = any(select 'payment.' || unnest(:tos) union select 'payment.new')
        group by merchant_id, payment_id, sequence, kind
      ) as news using (merchant_id, payment_id, sequence, kind)
      where told is distinct from events`,
  ),
  invariant(
    'events-placed-gapless',
    "The places of a merchant's events run from 1 to its head without gaps, and those of a payment in its order.",
    `select merchant_id::text from (
        select merchant_id, count(*) as events, min(position) as first, max(position) as last from outbox
        where position is not null group by merchant_id
      ) as placed full join notification_heads as heads using (merchant_id)
      where (placed.first, placed.events, placed.last) is distinct from (1, heads.position, heads.position)
      union all
      select concat_ws(' ', merchant_id, payment_id, sequence) from (
        select merchant_id, payment_id, sequence, position,
          lag(position) over (partition by merchant_id, payment_id order by sequence, position) as former
        from outbox where payment_id is not null and kind <> 'payment.new'
      ) as steps where position is distinct from null and former > position`,
  ),
  invariant(
    'events-queued-once',
    'Each event of the last days is queued for every endpoint that hears of it, and for no other.',
    `select concat_ws(' ', outbox.merchant_id, endpoints.id, outbox.position) from outbox
      join notification_endpoints as endpoints on endpoints.merchant_id = outbox.merchant_id
        and endpoints.status = 'enabled' and endpoints.queued_after < outbox.position
        and (outbox.endpoint_id is null or outbox.endpoint_id = endpoints.id)
        and (outbox.endpoint_id is not null or endpoints.kinds = '[]' or jsonb_exists(endpoints.kinds, outbox.kind))
      left join deliveries on deliveries.merchant_id = outbox.merchant_id and deliveries.endpoint_id = endpoints.id
        and deliveries.position = outbox.position
      where outbox.created_at > :now - interval '6 days' and deliveries.position is null
      union all
      select concat_ws(' ', deliveries.merchant_id, deliveries.endpoint_id, deliveries.position) from deliveries
      left join outbox on outbox.merchant_id = deliveries.merchant_id and outbox.position = deliveries.position
      left join notification_endpoints as endpoints on endpoints.merchant_id = deliveries.merchant_id
        and endpoints.id = deliveries.endpoint_id
      where outbox.id is null or endpoints.id is null or outbox.payment_id is distinct from deliveries.payment_id
        or outbox.endpoint_id <> deliveries.endpoint_id`,
  ),
  invariant(
    'deliveries-follow-attempts',
    'A delivery has as many attempts as its log, and is delivered by one that was answered with 2xx.',
    `select concat_ws(' ', deliveries.merchant_id, deliveries.endpoint_id, deliveries.position) from deliveries left join (
        select merchant_id, endpoint_id, position, count(*) as logged, max(attempt) as last,
          bool_or(status between 200 and 299) as taken from delivery_attempts group by merchant_id, endpoint_id, position
      ) as log using (merchant_id, endpoint_id, position)
      where (coalesce(log.logged, 0), coalesce(log.last, 0)) is distinct from (deliveries.attempts, deliveries.attempts)
        or (deliveries.status = 'delivered' and log.taken is distinct from true)`,
  ),
  invariant(
    'first-attempts-in-order',
    'An endpoint is told of a payment in order: no first attempt before that of the event before.',
    `select concat_ws(' ', merchant_id, endpoint_id, position) from (
        select deliveries.merchant_id, deliveries.endpoint_id, deliveries.position, deliveries.queued_at, log.at,
          lag(log.at) over chain as former, lag(deliveries.queued_at) over chain as former_queued_at
        from deliveries join delivery_attempts as log using (merchant_id, endpoint_id, position)
        join payments on payments.merchant_id = deliveries.merchant_id and payments.id = deliveries.payment_id
        join merchants on merchants.id = deliveries.merchant_id
        where log.attempt = 1 and not (merchants.mode = 'sandbox' and payments.amount % 100 = 8)
        window chain as (
          partition by deliveries.merchant_id, deliveries.endpoint_id, deliveries.payment_id order by deliveries.position)
      ) as firsts where at < former and queued_at >= former_queued_at`,
  ),
  invariant(
    'waiting-lanes-wake',
    'An endpoint for which something waits is served, or will be looked at.',
    `select distinct concat_ws(' ', deliveries.merchant_id, deliveries.endpoint_id) from deliveries
      left join delivery_lanes as lanes using (merchant_id, endpoint_id)
      where deliveries.status = 'pending' and lanes.wake_at is null and lanes.leased_until is null`,
  ),
  invariant(
    'nothing-crosses-merchants',
    'Whatever belongs to a payment belongs to its merchant, and an owned requisite serves its owner only.',
    `select concat_ws(' ', place, merchant_id, payment_id) from (
        select 'payment_events' as place, merchant_id, payment_id from payment_events
        union all select 'outbox', merchant_id, payment_id from outbox
        union all select 'payment_acknowledgements', merchant_id, payment_id from payment_acknowledgements
        union all select 'transfer_allocations', merchant_id, payment_id from transfer_allocations
        union all select 'ledger_postings', merchant_id, payment_id from ledger_postings
        union all select 'slots', merchant_id, payment_id from slots
        union all select 'past_slots', merchant_id, payment_id from past_slots
        union all select 'simulated_steps', merchant_id, payment_id from simulated_steps
        union all select 'deliveries', merchant_id, payment_id from deliveries
        union all select 'ack_reminders', merchant_id, payment_id from ack_reminders
        union all select 'disputes', merchant_id, payment_id from disputes
      ) as parts where payment_id is not null and not exists (
        select from payments where payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id)
      union all
      select concat_ws(' ', 'requisites', payments.merchant_id, payments.id) from payments
        join requisites on requisites.id = payments.requisite_id where requisites.merchant_id <> payments.merchant_id
      union all
      select concat_ws(' ', 'ledger_balances', merchant_id, account) from ledger_balances
        where account like 'merchant:%' and split_part(account, ':', 2) <> merchant_id::text`,
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
    'A payment is acknowledged exactly when its present credit is, with one acknowledgement at the same time.',
    `select ${payment} from payments left join (
        select merchant_id, payment_id, sequence, count(*) as times, max(acknowledged_at) as acknowledged_at
        from payment_acknowledgements group by merchant_id, payment_id, sequence
      ) as noted on noted.merchant_id = payments.merchant_id and noted.payment_id = payments.id
        and noted.sequence = payments.sequence
      where (noted.acknowledged_at, noted.sequence)
          is distinct from (payments.acknowledged_at, payments.acknowledged_sequence)
        or noted.times > 1 or (payments.acknowledged_at is not null and payments.status not in ${credited})`,
  ),
  invariant(
    'disputes-fit-status',
    'A payment is disput while it has an open dispute and, but for the first minute, only then.',
    `select ${payment} from payments where case when status = 'disput' then changed_at < :now - interval '60 seconds'
        else true end and (status = 'disput') <> exists (select from disputes
        where disputes.merchant_id = payments.merchant_id and disputes.payment_id = payments.id and state = 'open')`,
  ),
  invariant(
    'one-dispute-at-a-time',
    'A payment has at most one undecided dispute; one that is only proposed is about a credited payment.',
    `select concat_ws(' ', merchant_id, payment_id) from disputes where decided_at is null
      group by merchant_id, payment_id having count(*) > 1
      union all
      select concat_ws(' ', disputes.merchant_id, disputes.id) from disputes join payments
        on payments.merchant_id = disputes.merchant_id and payments.id = disputes.payment_id
      where state = 'proposed' and payments.status not in ${credited}`,
  ),
  invariant(
    'decisions-complete',
    'A dispute is decided by somebody at some time exactly when its state says so, with an amount if it was accepted.',
    `select concat_ws(' ', merchant_id, id) from disputes where (state in ('proposed', 'open')) <> (decided_at is null)
      or (decided_at is null) <> (decided_by is null) or (state = 'accepted') <> (final_amount is not null)
      or decided_at < opened_at or (decided_at is not null and remind_at is not null)`,
  ),
  invariant(
    'corrections-by-two',
    'A correction is confirmed by another operator than the one who proposed it, and none takes effect without.',
    `select concat_ws(' ', disputes.merchant_id, disputes.id) from disputes left join payment_events as events
        on events.merchant_id = disputes.merchant_id and events.payment_id = disputes.payment_id
        and events.trigger = 'correction-opened' and events.at >= disputes.opened_at
      where (confirmed_by is not null and (confirmed_by = correction_by or confirmed_by not like 'operator:%'
          or correction_by not like 'operator:%'))
        or (disputes.from_status in ${credited} and state in ('open', 'accepted') and events.payment_id is null)`,
  ),
  invariant(
    'dispute-events-gapless',
    'The events of a dispute are numbered from 1 without gaps, and the last decision among them is its state.',
    `select concat_ws(' ', disputes.merchant_id, disputes.id) from disputes left join (
        select merchant_id, dispute_id, min(sequence) as first, max(sequence) as last, count(*) as events,
          (array_agg(kind order by sequence desc) filter (where kind in ('accepted', 'rejected', 'withdrawn')))[1] as kind
        from dispute_events group by merchant_id, dispute_id
      ) as numbered on numbered.merchant_id = disputes.merchant_id and numbered.dispute_id = disputes.id
      where numbered.first is distinct from 1 or numbered.last <> numbered.events
        or numbered.kind is distinct from case when decided_at is null then null else state end`,
  ),
  invariant(
    'evidence-in-bounds',
    'A dispute has at most ten files, each of at most 5 MB, and none came after its decision.',
    `select concat_ws(' ', evidence.merchant_id, evidence.dispute_id) from dispute_evidence as evidence
      left join disputes on disputes.merchant_id = evidence.merchant_id and disputes.id = evidence.dispute_id
      group by evidence.merchant_id, evidence.dispute_id, disputes.id, decided_at
      having count(*) > 10 or max(size) > 5242880 or disputes.id is null or max(received_at) > decided_at`,
  ),
]

/** Currencies that payments are in. */
export const listPaymentCurrencies = statement({
  name: 'list_payment_currencies',
  parameters: {},
  row: { currency: text },
  text: `select distinct currency from payments`,
})
