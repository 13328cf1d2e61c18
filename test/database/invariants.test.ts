import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Tx } from '../../src/engine/context.ts'
import { integer, query, type Queryable, text } from 'payin-database'
import { hour, minute, second } from '../../src/rules/time.ts'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { actAudited } from '../../src/engine/audit/record-acts.ts'
import { checkSince } from '../../src/engine/invariants/check-changes.ts'
import { checkInvariants, invariants } from '../../src/engine/invariants/check-invariants.ts'
import { verifyAudit } from '../../src/engine/audit/verify-audit.ts'
import { cancelPayment, expirePayments } from '../../src/engine/payments/close-payments.ts'
import { sealFile } from '../../src/engine/disputes/claims/seal-file.ts'
import { addEvidence } from '../../src/engine/disputes/evidence.ts'
import { claimPayment } from '../../src/engine/payments/payer-changes.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { velocityRules } from '../../src/engine/risk/risk-rules.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { findBroken } from '../support/all-invariants.ts'
import { openDestination } from '../support/destination.ts'
import { addEndpoint, notified } from '../support/notified.ts'
import { sendForm } from '../support/page-states.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { type Engine, engines, openTestService, type TestService } from '../support/service.ts'
import { camtOf, type MadeRow, uploadFile } from '../support/statement-files.ts'
import { newNumber, openShop, payIn, type Shop } from '../support/shop.ts'

/** A violation: the tables whose constraints forbid it, and the change that makes it. */
type Seed = {
  readonly breaks: string
  readonly free?: readonly string[]
  readonly sql: string
  /** Why a check of what has changed does not find it. */
  readonly onlyWhole?: string
}

const one = (status: string): string =>
  `(merchant_id, id) in (select merchant_id, id from payments where status = '${status}' order by id limit 1)`
const eventOf = (status: string): string => `(merchant_id, payment_id, sequence) in (
  select merchant_id, id, sequence from payments where status = '${status}' order by id limit 1)`
const other = `(select id from merchants where id <> merchant_id order by id limit 1)`

/** Tables whose rows are found by their payment alone. */
const strays = new Set(['payment_events', 'deliveries', 'simulated_steps'])

const seeds: readonly Seed[] = [
  {
    breaks: 'counted-hours-hold',
    sql: `insert into payment_hours (merchant_id, hour, method, currency, bank, created, shown, claimed, paid, expired, credited)
      select id, '2026-01-01', 'sbp', 'rub', 'bank-a', 1, 1, 1, 1, 0, 100 from merchants limit 1`,
    onlyWhole: 'the hour is long past',
  },
  { breaks: 'counted-hours-hold', sql: `update payment_hours_progress set counted_until = '2100-01-01'` },
  {
    breaks: 'decisions-have-effect',
    sql: `update decision_results set last_part = last_part + 1 where kept_parts is not null`,
  },
  {
    breaks: 'decisions-have-effect',
    sql: `update decision_results set revoked_at = now() where word = 'ignore'`,
  },
  {
    breaks: 'decisions-have-effect',
    sql: `update decision_results set id = gen_random_uuid() where kept_parts is not null`,
  },
  {
    breaks: 'verified-sums-hold',
    sql: `insert into verified_balances (merchant_id, account, currency, balance) select id, 'fees', 'USDT', 1 from merchants limit 1`,
  },
  { breaks: 'balances-equal-postings', sql: `update ledger_balances set balance = balance + 1 where account = 'fees'` },
  { breaks: 'balances-equal-postings', sql: `delete from ledger_balances where account = 'fees'` },
  { breaks: 'balances-equal-postings', sql: `delete from ledger_postings where kind = 'fee'` },
  { breaks: 'balances-sum-to-zero', sql: `update ledger_balances set balance = balance - 1 where account = 'fees'` },
  { breaks: 'transfers-disposed-of', sql: `delete from transfer_parts where kind = 'overpayment'` },
  {
    breaks: 'transfers-disposed-of',
    sql: `update transfer_parts set amount = amount - 1 where kind = 'suspense'`,
  },
  {
    breaks: 'transfers-disposed-of',
    sql: `insert into transfer_parts (requisite_id, transfer_id, number, kind, amount, merchant_id, payment_id, outcome,
        reasons, decided_at)
      select requisite_id, transfer_id, 9, kind, amount, merchant_id, payment_id, outcome, reasons, decided_at
      from transfer_parts where kind = 'overpayment'`,
  },
  { breaks: 'transfers-posted-once', sql: `delete from ledger_postings where kind = 'overpay'` },
  {
    breaks: 'transfers-posted-once',
    sql: `insert into ledger_postings (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount,
        payment_id, transfer_id, posted_at)
      select merchant_id, transaction_id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
        transfer_id, posted_at from ledger_postings where kind = 'overpay'`,
  },
  {
    breaks: 'transfers-posted-once',
    sql: `update ledger_postings set debit_account = 'bank:' || gen_random_uuid() where kind = 'overpay'`,
  },
  {
    breaks: 'transfers-posted-once',
    sql: `update ledger_postings set transfer_id = null where kind = 'overpay'`,
  },
  {
    breaks: 'transfers-stored-once',
    sql: `insert into transfers (requisite_id, id, dedupe_key, currency, amount, booked_at, source, bank_reference,
        sender_masked, recorded_at)
      select requisite_id, gen_random_uuid(), 'other', currency, amount, booked_at, source, bank_reference, '', recorded_at
      from transfers where bank_reference is not null limit 1`,
  },
  { breaks: 'returned-money-left-bank', sql: `delete from ledger_postings where kind = 'return'` },
  { breaks: 'reversals-within-transfer', sql: `update transfer_reversals set amount = amount + 1` },
  {
    breaks: 'reversals-within-transfer',
    sql: `update transfer_parts set reversed_amount = reversed_amount - 1 where reversed_amount > 0`,
  },
  {
    breaks: 'returned-money-left-bank',
    sql: `update transfer_parts set kind = 'suspense' where kind in ('reversed', 'withdrawn') and payment_id is null`,
  },
  { breaks: 'statement-rows-recorded', sql: `update statement_rows set transfer_id = null` },
  { breaks: 'statement-rows-recorded', sql: `update statement_rows set amount = amount + 1` },
  { breaks: 'transfers-added-once', sql: `update statement_rows set added = true where not added` },
  {
    breaks: 'withdrawn-statements-hold-nothing',
    sql: `update transfer_parts set kind = 'suspense' where kind = 'withdrawn' and payment_id is null`,
  },
  {
    breaks: 'duplicates-have-their-transfer',
    sql: `update transfer_parts set kind = 'duplicate' where kind = 'suspense' and replaced_at is null`,
  },
  { breaks: 'unproven-until-reported', sql: `update transfers set unproven = true` },
  {
    breaks: 'unproven-until-reported',
    sql: `update transfers set channel = 'feed:phones' where channel <> 'operator'`,
  },
  {
    breaks: 'statements-add-up',
    sql: `update requisites set crediting_held = '{"reason": "more", "since": "2026-01-31T12:00:00.000Z", "statementId": "x"}'`,
  },
  {
    breaks: 'withdrawn-statements-hold-nothing',
    sql: `update outgoing_transfers set state = 'unexplained' where state = 'withdrawn'`,
  },
  {
    breaks: 'bank-equals-movements',
    sql: `update outgoing_transfers set given_back = true where state = 'unexplained'`,
  },
  {
    breaks: 'bank-equals-movements',
    sql: `update ledger_balances set balance = balance + 1 where account like 'bank:%'`,
  },
  {
    breaks: 'nothing-before-opening',
    sql: `insert into opening_balances (requisite_id, day, begins_at, currency, balance, reason, set_by, set_at)
      select requisite_id, '2026-01-01', booked_at + interval '1 day', currency, 0, 'test', 'test', booked_at
      from outgoing_transfers where state <> 'withdrawn' limit 1`,
  },
  { breaks: 'outgoing-posted-once', sql: `delete from ledger_postings where kind = 'send'` },
  {
    breaks: 'unexplained-has-no-purpose',
    sql: `update ledger_balances set balance = balance + 1 where account = 'unexplained'`,
  },
  {
    breaks: 'outgoing-carries-out-its-document',
    sql: `update outgoing_transfers set document_id = gen_random_uuid() where purpose = 'reversal'`,
  },
  {
    breaks: 'outgoing-duplicates-have-their-money',
    sql: `update outgoing_transfers set state = 'duplicate', duplicate_of = gen_random_uuid()
      where id in (select id from outgoing_transfers where state = 'unexplained' limit 1)`,
  },
  { breaks: 'outgoing-has-key', sql: `delete from outgoing_keys` },
  { breaks: 'suspense-has-case', sql: `delete from suspense_cases` },
  {
    breaks: 'suspense-has-case',
    sql: `insert into suspense_cases (requisite_id, transfer_id, suggestions, opened_at)
      select requisite_id, transfer_id, '[]', decided_at from transfer_parts where kind = 'overpayment'`,
  },
  {
    breaks: 'credits-fit-payment',
    sql: `update payments set requisite_id = (select id from requisites where id <> payments.requisite_id limit 1)
      where ${one('paid')}`,
  },
  { breaks: 'credits-fit-payment', sql: `update payments set currency = 'kzt' where ${one('paid')}` },
  { breaks: 'received-equals-parts', sql: `update payments set received = received + 1 where ${one('paid')}` },
  {
    breaks: 'received-equals-parts',
    sql: `update transfer_parts set kind = 'overpayment'
      where (merchant_id, payment_id) in (select merchant_id, id from payments where status = 'processing' and received > 0)`,
  },
  { breaks: 'paid-within-tolerance', sql: `update payments set received = amount - 501 where ${one('paid')}` },
  { breaks: 'paid-within-tolerance', sql: `update payments set received = amount + 501 where ${one('paid')}` },
  { breaks: 'terms-known', sql: `update payments set terms_id = gen_random_uuid() where ${one('paid')}` },
  {
    breaks: 'final-amount-received',
    sql: `update payments set final_amount = final_amount + 1 where ${one('disput-paid')}`,
  },
  {
    breaks: 'slots-never-shared',
    sql: `insert into past_slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
      select requisite_id, amount, merchant_id, gen_random_uuid(), taken_at - interval '1 hour',
        taken_at + interval '1 millisecond' from slots limit 1`,
  },
  {
    breaks: 'slots-never-shared',
    sql: `update past_slots set held_until = held_until + interval '30 days'`,
  },
  { breaks: 'slots-never-forgotten', sql: `delete from past_slots` },
  {
    breaks: 'open-payments-hold-slot',
    sql: `delete from slots where payment_id in (select id from payments where status = 'new')`,
  },
  {
    breaks: 'open-payments-hold-slot',
    sql: `update slots set held_until = taken_at where payment_id in (select id from payments where status = 'processing')`,
  },
  {
    breaks: 'open-payments-hold-slot',
    sql: `update slots set payment_id = gen_random_uuid()
      where payment_id in (select id from payments where status = 'processing')`,
  },
  { breaks: 'total-equals-quote', sql: `update payments set total = total + 1 where ${one('new')}` },
  {
    breaks: 'total-equals-quote',
    sql: `update payments set rate_price = rate_price - 1000000 where currency = 'jpy'`,
  },
  {
    breaks: 'credits-equal-quote',
    sql: `update ledger_postings set amount = amount + 1 where kind = 'credit' and credit_account like 'merchant:%'`,
  },
  {
    breaks: 'credits-equal-quote',
    sql: `update ledger_postings set credit_account = 'merchant:' || merchant_id where kind = 'fee'`,
  },
  {
    breaks: 'credits-equal-quote',
    sql: `update ledger_postings set payment_id = (select id from payments
        where payments.merchant_id = ledger_postings.merchant_id and status = 'canceled' limit 1) where kind = 'fee'`,
  },
  {
    breaks: 'held-money-in-suspense',
    sql: `delete from ledger_postings where kind = 'receive' and payment_id in (select id from payments where status = 'processing')`,
  },
  {
    breaks: 'held-money-in-suspense',
    sql: `delete from ledger_postings where kind = 'credit' and debit_account = 'suspense'`,
  },
  { breaks: 'due-while-open', sql: `update payments set due_at = null where ${one('new')}` },
  {
    breaks: 'due-while-open',
    sql: `update payments set due_at = changed_at + interval '9 years' where ${one('paid')}`,
  },
  {
    breaks: 'nothing-overdue',
    sql: `update payments set due_at = created_at - interval '9 days' where ${one('new')}`,
  },
  { breaks: 'events-gapless', sql: `update payment_events set sequence = 9 where ${eventOf('paid')}` },
  { breaks: 'events-gapless', sql: `delete from payment_events where ${eventOf('paid')}` },
  { breaks: 'events-gapless', sql: `delete from payment_events where sequence = 1` },
  {
    breaks: 'events-gapless',
    sql: `update payment_events set payment_id = gen_random_uuid() where ${eventOf('paid')}`,
  },
  { breaks: 'events-in-table', sql: `update payment_events set trigger = 'money-partial' where ${eventOf('paid')}` },
  { breaks: 'events-in-table', sql: `update payment_events set status = 'failed' where ${eventOf('paid')}` },
  { breaks: 'events-in-table', sql: `update payment_events set status = 'processing' where sequence = 1` },
  { breaks: 'events-in-table', sql: `update payment_events set at = at - interval '1 year' where ${eventOf('paid')}` },
  { breaks: 'last-event-is-status', sql: `update payments set status = 'expired' where ${one('canceled')}` },
  { breaks: 'last-event-is-status', sql: `update payments set status_reason = 'risk' where ${one('canceled')}` },
  {
    breaks: 'last-event-is-status',
    sql: `update payments set changed_at = changed_at + interval '1 second' where ${one('canceled')}`,
  },
  { breaks: 'events-in-outbox-once', sql: `delete from outbox where ${eventOf('paid')}` },
  {
    breaks: 'events-in-outbox-once',
    sql: `insert into outbox (merchant_id, id, payment_id, sequence, kind, body, position, created_at)
      select merchant_id, gen_random_uuid(), payment_id, sequence, kind, body, position + 1000000, created_at
      from outbox where ${eventOf('paid')}`,
  },
  { breaks: 'events-in-outbox-once', sql: `update outbox set kind = 'payment.failed' where ${eventOf('paid')}` },
  {
    breaks: 'event-positions-gapless',
    sql: `update outbox set position = position + 1000000`,
  },
  {
    breaks: 'event-positions-gapless',
    sql: `update outbox set position = 1000000 - position`,
  },
  { breaks: 'event-positions-gapless', sql: `update event_counters set position = position + 1` },
  { breaks: 'events-queued-once', sql: `delete from deliveries` },
  { breaks: 'events-queued-once', sql: `update queued_notifications set position = position + 1` },
  {
    breaks: 'events-queued-once',
    sql: `insert into deliveries (merchant_id, endpoint_id, position, payment_id, status, attempts, step, due_at, queued_at)
      select merchant_id, endpoint_id, position + 1000000, payment_id, 'pending', 0, 0, due_at, queued_at from deliveries`,
    onlyWhole: 'a delivery of no event belongs to nothing that has changed',
  },
  { breaks: 'deliveries-follow-attempts', sql: `delete from delivery_attempts` },
  { breaks: 'deliveries-follow-attempts', sql: `update delivery_attempts set status = 500` },
  {
    breaks: 'first-attempts-in-order',
    // The clock of this test does not move, and one instant does not say what came first.
    sql: `with earlier as (
        update deliveries set queued_at = queued_at - interval '1 minute'
        where position = (select min(position) from delivery_attempts))
      update delivery_attempts set at = at + interval '1 year'
      where position = (select min(position) from delivery_attempts)`,
  },
  { breaks: 'waiting-lanes-wake', sql: `update deliveries set status = 'pending', finished_at = null` },
  ...[
    'payment_events',
    'deliveries',
    'payment_acknowledgements',
    'slots',
    'past_slots',
    'simulated_steps',
    'ledger_postings',
    'disputes',
  ].map((table) => ({
    breaks: 'nothing-crosses-merchants',
    ...(table === 'disputes' ? { free: ['dispute_events', 'dispute_evidence', table] } : {}),
    sql: `update ${table} set merchant_id = ${other} where payment_id is not null`,
    ...(strays.has(table) ? { onlyWhole: 'a row of no payment belongs to nothing that has changed' } : {}),
  })),
  {
    breaks: 'nothing-crosses-merchants',
    sql: `update outbox set merchant_id = ${other}, position = ('x' || right(id::text, 12))::bit(48)::bigint + 1
      where payment_id is not null`,
  },
  {
    breaks: 'nothing-crosses-merchants',
    sql: `update transfer_parts set merchant_id = ${other} where payment_id is not null`,
  },
  {
    breaks: 'nothing-crosses-merchants',
    sql: `update requisites set merchant_id = ${other} where merchant_id is not null`,
  },
  {
    breaks: 'nothing-crosses-merchants',
    sql: `update ledger_balances set merchant_id = ${other} where account like 'merchant:%'`,
  },
  { breaks: 'modes-never-mix', sql: `update requisites set mode = 'sandbox' where mode = 'live'` },
  {
    breaks: 'acknowledgements-of-credits',
    sql: `update payment_acknowledgements set acknowledged_at = acknowledged_at - interval '1 year'`,
  },
  { breaks: 'acknowledgements-of-credits', sql: `update payment_acknowledgements set sequence = 1` },
  { breaks: 'acknowledged-once', sql: `delete from payment_acknowledgements` },
  {
    breaks: 'acknowledged-once',
    sql: `update payments set acknowledged_at = acknowledged_at + interval '1 second' where acknowledged_at is not null`,
  },
  {
    breaks: 'acknowledged-once',
    sql: `update payments set acknowledged_at = null, acknowledged_sequence = null where acknowledged_at is not null`,
  },
  {
    breaks: 'disputes-fit-status',
    sql: `delete from disputes where state = 'open'`,
    free: ['dispute_events', 'dispute_evidence'],
  },
  {
    breaks: 'disputes-fit-status',
    sql: `update disputes set state = 'open', decided_at = null, decided_by = null
      where state = 'rejected'`,
    free: ['disputes'],
  },
  {
    breaks: 'disputes-fit-status',
    free: ['disputes'],
    sql: `update disputes set state = 'proposed' where state = 'open'`,
  },
  { breaks: 'corrections-by-two', sql: `update disputes set confirmed_by = 'merchant' where confirmed_by is not null` },
  {
    breaks: 'corrections-by-two',
    sql: `update payment_events set trigger = 'dispute-opened' where trigger = 'correction-opened'`,
  },
  { breaks: 'dispute-events-gapless', sql: `delete from dispute_events where sequence = 1` },
  { breaks: 'dispute-events-gapless', sql: `update dispute_events set kind = 'rejected' where kind = 'accepted'` },
  { breaks: 'evidence-in-bounds', sql: `update dispute_evidence set size = 6000000` },
  {
    breaks: 'evidence-in-bounds',
    sql: `insert into dispute_evidence (merchant_id, dispute_id, id, uploaded_by, content_index, content_type, size,
        content_sealed, received_at)
      select merchant_id, dispute_id, gen_random_uuid(), uploaded_by,
        gen_random_uuid()::text, content_type, size, content_sealed, received_at
      from dispute_evidence cross join generate_series(1, 10)`,
  },
  { breaks: 'evidence-in-bounds', sql: `update dispute_evidence set received_at = received_at + interval '1 year'` },
  {
    breaks: 'final-amount-received',
    free: ['disputes'],
    sql: `update disputes set confirmed_by = correction_by where state = 'accepted' and correction_by is not null`,
  },
  {
    breaks: 'suspense-has-case',
    sql: `update suspense_cases set resolved_at = opened_at where resolved_at is null`,
  },
  { breaks: 'suspense-has-case', sql: `update suspense_cases set resolved_at = null where resolved_at is not null` },
  {
    breaks: 'transfers-disposed-of',
    sql: `update transfer_parts set replaced_at = null where replaced_at is not null`,
  },
  { breaks: 'link-payments-fit-link', sql: `update payment_links set currency = 'eur'` },
  { breaks: 'link-payments-fit-link', sql: `update payment_links set merchant_id = ${other}` },
  { breaks: 'link-payments-fit-link', sql: `update payment_link_uses set amount = amount + 1` },
  { breaks: 'link-seats-within-most', sql: `update payment_link_uses set seat = 2` },
  { breaks: 'link-seats-within-most', sql: `update payment_link_uses set seat = null` },
  { breaks: 'risk-refusals-explained', sql: `delete from risk_decisions` },
  {
    breaks: 'risk-refusals-explained',
    sql: `update payment_events set status_reason = 'requisite-lost' where status = 'failed'`,
  },
  {
    breaks: 'nothing-crosses-merchants',
    sql: `update risk_uses set merchant_id = (select id from merchants where id <> risk_uses.merchant_id limit 1)`,
  },
  // A rule counts once all clocks are past its beginning.
  {
    breaks: 'velocity-rules-hold',
    sql: `update risk_rules set max_count = 1, created_at = created_at - interval '1 hour'`,
  },
  {
    breaks: 'velocity-rules-hold',
    sql: `update risk_rules set max_count = null, currency = 'rub', max_amount = 500000,
      created_at = created_at - interval '1 hour'`,
  },
  {
    breaks: 'automatic-pauses-hold',
    sql: `insert into requisite_pauses (requisite_id, id, cause, explanation, paused_at)
      select id, id, 'expired', '{}', created_at from requisites where status = 'active' limit 1`,
  },
  { breaks: 'settlements-hold-balance', sql: `update settlements set amount = amount + 1 where status = 'draft'` },
  { breaks: 'settlements-hold-balance', sql: `update settlements set amount = amount - 1 where status = 'paid'` },
  {
    breaks: 'settlements-hold-balance',
    free: ['settlements'],
    sql: `update settlements set status = 'approved', external_reference = null where status = 'paid'`,
  },
  { breaks: 'settlements-paid-by-one-debit', sql: `update settlements set is_proven = true where status = 'paid'` },
  {
    breaks: 'settlements-in-table',
    sql: `delete from settlement_events where status = 'approved'`,
  },
  { breaks: 'settlements-in-table', sql: `update settlement_events set status = 'paid' where sequence = 2` },
  { breaks: 'refunds-hold-money', sql: `update refunds set amount = amount - 1 where status = 'requested'` },
  { breaks: 'refunds-paid-once', sql: `update refunds set net = net + 1 where status = 'requested'` },
  {
    breaks: 'refunds-paid-once',
    sql: `update refunds set status = 'canceled' where status = 'requested'`,
  },
  {
    breaks: 'refunds-within-credit',
    sql: `update refunds set amount = amount * 1000 where status = 'requested'`,
  },
  { breaks: 'refunds-in-table', sql: `delete from refund_events where status = 'approved'` },
  { breaks: 'refunds-in-table', sql: `update refunds set sequence = sequence + 1` },
  { breaks: 'refunds-done-by-bank', sql: `update refunds set status = 'done' where status = 'sent'` },
  { breaks: 'events-in-outbox-once', sql: `delete from outbox where kind = 'refund.approved'` },
  { breaks: 'settlements-in-table', sql: `update settlements set sequence = sequence + 1 where status = 'draft'` },
  { breaks: 'settlements-to-ready-destinations', sql: `update destinations set approved_by = null, ready_at = null` },
  {
    breaks: 'settlements-to-ready-destinations',
    sql: `update destinations set ready_at = ready_at + interval '1 day'`,
  },
  { breaks: 'events-in-outbox-once', sql: `delete from outbox where kind = 'settlement.paid'` },
  {
    breaks: 'events-in-outbox-once',
    sql: `update outbox set document_id = (select id from settlements where status = 'failed') where document_id is not null`,
  },
  {
    breaks: 'overpayments-add-up',
    sql: `update overpayment_decisions set amount = amount + 1 where decision = 'write-off'`,
  },
  { breaks: 'overpayments-add-up', sql: `delete from overpayment_decisions where decision = 'assign'` },
  {
    breaks: 'assigned-at-the-rate',
    sql: `update ledger_postings set amount = amount + 1 where kind = 'assign' and currency = 'USDT' and credit_account = 'fees'`,
  },
  { breaks: 'assigned-at-the-rate', sql: `delete from ledger_postings where kind = 'assign'` },
  { breaks: 'returned-money-left-bank', sql: `delete from ledger_postings where kind = 'return' and currency = 'rub'` },
  { breaks: 'credits-equal-quote', sql: `delete from ledger_postings where kind = 'return' and currency = 'USDT'` },
  { breaks: 'events-in-outbox-once', sql: `delete from outbox where kind = 'payment.reversed'` },
  { breaks: 'adjustments-posted-once', sql: `delete from ledger_postings where kind = 'adjust'` },
  {
    breaks: 'adjustments-posted-once',
    sql: `update ledger_adjustments set status = 'rejected' where status = 'posted'`,
  },
  { breaks: 'documents-exist', sql: `update ledger_postings set document_id = gen_random_uuid() where kind = 'hold'` },
  {
    breaks: 'documents-exist',
    sql: `update outbox set merchant_id = ${other} where document_id is not null`,
  },
  { breaks: 'audit-chain-unbroken', sql: `update audit_entries set actor = 'somebody else' where sequence = 2` },
  { breaks: 'audit-chain-unbroken', sql: `delete from audit_entries where sequence = 2` },
  { breaks: 'audit-chain-unbroken', sql: `delete from audit_entries where sequence = 3` },
]

const listConstraints = query('test_list_constraints', {
  parameters: { table: text },
  row: { name: text },
  text: `select conname::text as name from pg_constraint where conrelid = to_regclass(:table) and contype in ('c', 'u', 'p', 'f')`,
})

let statements = 0
const nextName = (): string => `test_seed_${++statements}`

const freeOfConstraints = async (tx: Tx, table: string): Promise<void> => {
  for (const { name } of await tx.query(listConstraints, { table })) {
    const drop = `alter table ${table} drop constraint ${name} cascade`
    await tx.query(query(nextName(), { text: drop }), {})
  }
}

type Caught = { readonly whole: boolean; readonly changed: boolean }

const impliedNames = new Set(invariants.flatMap(({ name, findChanged }) => (findChanged ? [] : [name])))

const undo = new Error('undo')

/** Fails unless all invariants as one query find what each finds on its own, with this violation. */
const assertJoined = async (service: TestService, seed: Seed): Promise<void> => {
  const work = service.context.transaction(async (tx) => {
    for (const table of seed.free ?? []) await freeOfConstraints(tx, table)
    await tx.query(query(nextName(), { row: { one: integer }, text: `${seed.sql} returning 1 as one` }), {})
    const alone = (await checkInvariants(tx)).filter(({ broken }) => broken > 0)
    assert.ok(alone.some(({ name }) => name === seed.breaks))
    assert.deepEqual(new Set((await findBroken(tx)).map(({ name }) => name)), new Set(alone.map(({ name }) => name)))
    throw undo
  })
  await assert.rejects(work, undo)
}

/** Makes the violation, asks the invariant that it should break whether it finds it, and rolls all of it back. */
const isCaught = async (service: TestService, seed: Seed, since: number): Promise<Caught> => {
  const rollback = new Error('roll back')
  let broken: number | undefined
  let brokenSince: number | undefined
  try {
    await service.context.transaction(async (tx) => {
      for (const table of seed.free ?? []) await freeOfConstraints(tx, table)
      const change = `${seed.sql} returning 1 as one`
      const rows = await tx.query(query(nextName(), { row: { one: integer }, text: change }), {})
      assert.ok(rows.length > 0, `changed nothing: ${seed.sql}`)
      broken = (await checkInvariants(tx, [seed.breaks]))[0]?.broken
      brokenSince = (await checkSince(tx, { since, now: tx.now, names: [seed.breaks] }))[0]?.broken
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
  assert.ok(broken !== undefined, `no invariant is called ${seed.breaks}`)
  return { whole: broken > 0, changed: (brokenSince ?? 0) > 0 }
}

const brokenNow = async ({ context }: TestService) =>
  (await checkInvariants(context)).filter((check) => check.broken > 0)

const addYen = (service: TestService, merchantId: string): Promise<void> =>
  service.context.transaction(async (tx) => {
    await setLimits(tx, null, { currency: 'jpy', min: 100n, max: 1_000_000n })
    await setRate(tx, { currency: 'jpy', price: 155_12345678n, source: 'test', validUntil: null })
    const place = {
      merchantId,
      mode: 'live',
      method: 'sbp',
      currency: 'jpy',
      transferScope: null,
      bankIssuer: 'bank-a',
    } as const
    await addRequisites(tx, [{ ...place, holder: 'Ivan Petrov', number: newNumber('sbp'), limits: {} }])
  })

type Made = { readonly id: string; readonly requisiteId: string }

const make = async (shop: Shop, orderId: string, fields: Record<string, unknown> = {}): Promise<Made> => {
  const { status, body } = await shop.create(orderId, fields)
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.payment.id, requisiteId: body.card.id }
}

/** Two payments of a user and a third that is refused. */
const buildRisk = async ({ context, clock }: TestService, shop: Shop): Promise<void> => {
  const limits = { windowMs: hour, maxCount: 2, currency: null, maxAmount: null }
  const rule = { kind: 'user', merchantId: shop.merchantId, ...limits, reason: 'test', createdBy: 'test' } as const
  await context.transaction((tx) => velocityRules.add(tx, rule))
  context.catalog.invalidate()
  clock.advance(6 * second)
  for (const amount of [7000, 7001, 7002]) await make(shop, `risk-${amount}`, { amount, userId: 'user' })
}

/** Statements that were imported, imported again, withdrawn and only previewed, with money that the bank took back. */
const buildStatements = async (service: TestService, shop: Shop): Promise<void> => {
  const operator = openOperator(service)
  const requisiteId = shop.requisiteIds.at(-1) ?? ''
  const date = new Date(service.clock.now + 3 * hour).toISOString().slice(0, 10)
  const upload = async (rows: readonly MadeRow[]): Promise<string> => {
    const { status, body } = await uploadFile(service, camtOf({ account: 'X1', rows }), { requisiteId })
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const bring = async (rows: readonly MadeRow[]): Promise<string> => {
    const id = await upload(rows)
    await operator.call('POST', `/statements/${id}/confirm`)
    while ((await runImports(service.context)) > 0);
    return id
  }
  const kept = { minor: 41_00n, date, text: 'kept' }
  await bring([kept, { minor: 42_00n, date, reference: 'taken back' }])
  await bring([kept, { minor: -42_00n, date, reference: 'taken back', reversal: true }])
  await bring([
    { minor: 46_00n, date, reference: 'BANKREF-RET-46', text: 'taken back by a plain debit' },
    { minor: -45_00n, date, text: 'rent' },
  ])
  const { transfers } = (await operator.get('/transfers?unmatched=true&limit=500')).body
  const taken = transfers.find((each: { amount: number }) => each.amount === 46)
  const reverse = `/transfers/${taken.requisiteId}/${taken.id}/reverse`
  assert.equal((await operator.call('POST', reverse, { reason: 'a test' })).status, 200)
  await bring([{ minor: -46_00n, date, text: 'return of BANKREF-RET-46' }])
  const withdrawn = await bring([
    { minor: 43_00n, date, text: 'withdrawn' },
    { minor: -43_00n, date, text: 'withdrawn' },
  ])
  assert.equal((await operator.call('POST', `/statements/${withdrawn}/withdraw`, { reason: 'a test' })).status, 200)
  await service.runJobs()
  await upload([{ minor: 44_00n, date, text: 'previewed' }])
}

/** Payments in every status that there is a way to, with transfers of every outcome. */
const buildWorld = async (service: TestService, receiver: Receiver): Promise<void> => {
  const { context, clock } = service
  const pay = ({ requisiteId }: Made, minor: bigint, reference?: string) =>
    payIn(service, { requisiteId, minor, ...(reference ? { reference } : {}) })
  for (let entry = 1; entry <= 3; entry++) {
    const act = { actor: 'test', action: 'test.noted', subject: `entry ${entry}`, details: {} }
    await actAudited(
      context,
      async () => undefined,
      () => act,
    )
  }
  const shop = await openShop(service, { terms: { toleranceMinor: 500n }, perMethod: 8 })
  const strict = await openShop(service, { terms: { mismatchPolicy: 'review' }, perMethod: 8 })
  const sandbox = await openShop(service, { mode: 'sandbox' })
  await addEndpoint(sandbox, { url: receiver.url })
  await addYen(service, shop.merchantId)

  const course = { title: 'Course', currency: 'rub', amount: 5000, method: 'sbp' }
  const linkPage = new URL((await shop.post('/links', course)).body.url).pathname
  assert.equal((await sendForm(service, linkPage, { visit: 'v'.repeat(22) })).status, 303)
  const late = await make(shop, 'late')
  await make(shop, 'expired', { amount: 5100 })
  const under = await make(shop, 'under', { amount: 5200 })
  const named = await make(shop, 'named', { amount: 5250, userId: 'a named user' })
  await payIn(service, { requisiteId: named.requisiteId, minor: 5250_00n, senderName: 'Ivan Ivanov' })
  await pay(under, 2600_00n)
  const review = await make(strict, 'review', { amount: 5300 })
  await pay(review, 2600_00n)
  const slow = await make(shop, 'slow', { amount: 6100 })
  const shown = await make(shop, 'canceled', { amount: 5400 })
  await make(shop, 'yen-expired', { amount: 5001, currency: 'jpy' })
  const key = { merchantId: shop.merchantId, id: shown.id }
  const by = { actor: 'merchant', reason: 'canceled-by-merchant' } as const
  await context.transaction((tx) => cancelPayment(tx, key, by))
  clock.advance(29 * minute)
  await claimPayment(context, shop.merchantId, slow.id)
  clock.advance(31 * minute)
  await expirePayments(context)
  assert.equal((await pay(late, 5000_00n)).outcome, 'late')

  const exact = await make(shop, 'exact')
  assert.equal((await pay(exact, 5000_00n, 'bank-1')).outcome, 'exact')
  assert.equal((await pay(exact, 5000_00n, 'bank-2')).outcome, 'paid-again')
  assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'exact' })).status, 200)
  await settleWorld(service, shop)
  const near = await make(shop, 'near', { amount: 5500 })
  assert.equal((await pay(near, 5504_99n)).outcome, 'exact')
  const over = await make(shop, 'over', { amount: 5600, method: 'card-to-card' })
  assert.equal((await pay(over, 6000_00n)).outcome, 'over')
  assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'over' })).status, 200)
  const parts = await make(shop, 'parts', { amount: 5700 })
  await pay(parts, 2700_00n)
  clock.advance(second)
  await pay(parts, 3000_00n)
  const half = await make(shop, 'half', { amount: 5800 })
  await pay(half, 2800_00n)
  const claimed = await make(shop, 'claimed', { amount: 5900 })
  await claimPayment(context, shop.merchantId, claimed.id)
  const yen = await make(strict, 'nobody', { amount: 6000 })
  await context.transaction((tx) => cancelPayment(tx, { merchantId: strict.merchantId, id: yen.id }, by))
  assert.equal((await pay(yen, 6000_00n)).outcome, 'none')
  await make(sandbox, 'simulated', { amount: 5000.02 })
  await make(shop, 'new')

  await buildRisk(service, shop)
  await buildStatements(service, strict)

  // The slot of a payment that expired long ago goes to another one.
  const narrow = await openShop(service, { perMethod: 1, terms: { lateWindowMs: 0 } })
  await make(narrow, 'first')
  clock.advance(20 * minute)
  await service.runJobs()
  clock.advance(26 * minute)
  await service.runJobs()
  await make(narrow, 'second')
  await make(shop, 'open')
  await make(shop, 'open-part', { amount: 5050 })
  await pay(await make(strict, 'strict-part', { amount: 5060 }), 2500_00n)
  await make(sandbox, 'simulated-later', { amount: 5000.02 })
  await buildDisputes(service, shop)
  await service.runJobs()
}

/** Disputes of every state, with evidence, a correction, and transfers that people have decided about. */
const buildDisputes = async (service: TestService, shop: Shop): Promise<void> => {
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const claimed = async (orderId: string, amount: number): Promise<string> => {
    const { id } = await make(shop, orderId, { amount })
    await shop.post('/payments/byOrderId/cancel', { orderId })
    const { status, body } = await shop.post(`/payments/byOrderId/${orderId}/dispute`, { amount })
    assert.equal(status, 201, JSON.stringify(body))
    const sealed = await sealFile(service.context, 'dispute_evidence', { type: 'image/png', content: Buffer.from(id) })
    await service.context.transaction((tx) =>
      addEvidence(tx, { merchantId: shop.merchantId, id: body.id }, sealed, 'merchant'),
    )
    return body.id
  }
  const step = async (by: typeof anna, id: string, name: string, body: object): Promise<void> => {
    const answer = await by.call('POST', `/disputes/${shop.merchantId}/${id}/${name}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  await claimed('disputed', 7100)
  await step(anna, await claimed('rejected', 7200), 'decision', { decision: 'reject', note: 'no money' })
  const goodwill = await claimed('goodwill', 7300)
  await step(anna, goodwill, 'decision', { decision: 'accept', note: 'goodwill' })
  await step(boris, goodwill, 'confirm', { amount: 7300 })
  const paid = await make(shop, 'corrected', { amount: 7400 })
  await payIn(service, { requisiteId: paid.requisiteId, minor: 7400_00n })
  const correction = await anna.call('POST', `/payments/${shop.merchantId}/${paid.id}/disputes`, {
    amount: 7000,
    note: 'x',
  })
  await step(boris, correction.body.id, 'confirm', { amount: 7000 })
  await step(boris, correction.body.id, 'decision', { decision: 'accept', amount: 7000, note: 'x' })
  const canceled = await make(shop, 'canceled-late', { amount: 7500 })
  await shop.post('/payments/byOrderId/cancel', { orderId: 'canceled-late' })
  const stray = await payIn(service, { requisiteId: canceled.requisiteId, minor: 7500_00n })
  const ignored = await anna.call('POST', `/transfers/${canceled.requisiteId}/${stray.id}/ignore`, {
    reason: 'own money',
  })
  assert.equal(ignored.status, 200, JSON.stringify(ignored.body))
}

/** Settlements, decisions, reversals and adjustments of every kind, of a shop that has been paid. */
const settleWorld = async (service: TestService, shop: Shop): Promise<void> => {
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const call = async (operator: Operator, path: string, body?: object) => {
    const answer = await operator.call('POST', path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  const { merchantId } = shop
  const destinationId = await openDestination(service, merchantId)
  const draft = (reference: string, amount: number) =>
    call(anna, '/settlements', { merchantId, reference, amount, destinationId })
  const step = (id: string, name: string, body?: object) => call(anna, `/settlements/${merchantId}/${id}/${name}`, body)
  const paid = await draft('paid', 10)
  await step(paid.id, 'approve')
  await step(paid.id, 'pay', { externalReference: 'tx-1' })
  const failed = await draft('failed', 11)
  await step(failed.id, 'fail', { reason: 'x' })
  await draft('open', 12)
  const [overpaid] = (await anna.get(`/overpayments?merchantId=${merchantId}`)).body.overpayments
  const decide = (reference: string, decision: string, fields: object = {}) =>
    call(anna, `/overpayments/${merchantId}/${overpaid.paymentId}/decisions`, {
      ...{ reference, decision, amount: 100, reason: 'x' },
      ...fields,
    })
  await decide('d-1', 'assign')
  await decide('d-2', 'write-off')
  await decide('d-3', 'refund', { requisiteId: shop.requisiteIds[0] })
  const back = await make(shop, 'taken-back', { amount: 6200 })
  const taken = await payIn(service, { requisiteId: back.requisiteId, minor: 6200_00n })
  await call(anna, `/transfers/${back.requisiteId}/${taken.id}/reverse`, { reason: 'x' })
  const refunded = await make(shop, 'refunded', { amount: 6250 })
  await payIn(service, { requisiteId: refunded.requisiteId, minor: 6250_00n, sender: '+79990001122' })
  for (const [reference, ...steps] of [['asked'], ['approved', 'approve'], ['sent', 'approve', 'send']] as const) {
    const { status, body } = await shop.post('/payments/byOrderId/refunded/refunds', { reference, amount: 100 })
    assert.equal(status, 201, JSON.stringify(body))
    for (const each of steps)
      await call(
        anna,
        `/refunds/${merchantId}/${body.id}/${each}`,
        each === 'send' ? { requisiteId: refunded.requisiteId } : undefined,
      )
  }
  const accounts = { debitAccount: 'fees', creditAccount: 'merchant:available', currency: 'USDT' }
  const favour = { merchantId, reference: 'favour', ...accounts, amount: 1, reason: 'x' }
  const { id } = await call(anna, '/ledger/adjustments', favour)
  await call(boris, `/ledger/adjustments/${merchantId}/${id}/post`)
}

const listStatuses = query('test_list_statuses', {
  row: { status: text },
  text: `select distinct status from payments order by status`,
})

const skipOf = (engine: Engine): string | false =>
  engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false

for (const engine of engines) {
  describe(`invariants [${engine}]`, { skip: skipOf(engine) }, () => {
    let service: TestService
    let startedAt: number
    before(async () => {
      service = await openTestService(engine, notified)
      startedAt = service.clock.now
      await using receiver = await openReceiver()
      await buildWorld(service, receiver)
      await service.runJobs()
    })
    after(() => service.stop())

    test('a world with a bit of everything is healthy', async () => {
      const statuses = (await service.context.query(listStatuses, {})).map((row) => row.status)
      assert.deepEqual(statuses, [
        'canceled',
        'disput',
        'disput-paid',
        'expired',
        'failed',
        'new',
        'paid',
        'processing',
      ])
      assert.deepEqual(await brokenNow(service), [])
    })

    test('every invariant has a name, a meaning and a seeded violation', async () => {
      const checks = await checkInvariants(service.context)
      const names = checks.map((check) => check.name)
      assert.deepEqual(new Set(names), new Set(seeds.map((seed) => seed.breaks)))
      assert.equal(new Set(names).size, names.length)
      for (const { name, meaning } of checks) {
        assert.match(name, /^[a-z]+(-[a-z]+)+$/)
        assert.match(meaning, /^[A-Z].*\.$/)
      }
    })

    test('all invariants as one query, which ends other tests, find what each finds on its own', async () => {
      for (const seed of seeds.filter((_, index) => index % 12 === 0)) await assertJoined(service, seed)
    })

    for (const [index, seed] of seeds.entries()) {
      test(`${seed.breaks} catches its violation ${index + 1}`, async () => {
        const changed =
          seed.onlyWhole === undefined && !impliedNames.has(seed.breaks) && seed.breaks !== 'audit-chain-unbroken'
        assert.deepEqual(await isCaught(service, seed, startedAt), { whole: true, changed })
      })
    }

    test('a payment that nothing has expired is broken after a minute, not before', async () => {
      const { now } = service.clock
      const overdueAt = async (at: number): Promise<boolean> => {
        service.clock.now = at
        return (await brokenNow(service)).some((check) => check.name === 'nothing-overdue')
      }
      assert.equal(await overdueAt(now + 31 * minute), false)
      assert.equal(await overdueAt(now + 31 * minute + 1), true)
      service.clock.now = now
    })

    test('checks tell how many rows are broken and show some', async () => {
      service.clock.now += 9 * hour
      const overdue = (await brokenNow(service)).find((check) => check.name === 'nothing-overdue')
      service.clock.now -= 9 * hour
      assert.ok(overdue)
      assert.equal(overdue.broken, overdue.examples.length)
      assert.match(overdue.examples[0] ?? '', /^[0-9a-f-]{36} [0-9a-f-]{36}$/)
    })

    test('an entry that is written while the chain is read breaks nothing', async () => {
      const { context } = service
      const racing: Queryable = {
        query: async (asked, parameters) => {
          const act = { actor: 'test', action: 'test.noted', subject: 'meanwhile', details: {} }
          await actAudited(
            context,
            async () => undefined,
            () => act,
          )
          return context.query(asked, parameters)
        },
      }
      assert.deepEqual(await verifyAudit(racing), [])
    })

    test('the violations were rolled back', async () => assert.deepEqual(await brokenNow(service), []))
  })
}
