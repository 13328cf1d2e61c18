-- Double entry, and what is paid out to merchants.

-- Each row names both sides, so the ledger balances by construction. The book (merchant_id) keeps the balances of busy
-- accounts apart per merchant; the nil UUID is the service's own book.
create table ledger_postings (
  merchant_id uuid not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  debit_account text not null,
  credit_account text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  payment_id uuid,
  transfer_id uuid,
  -- What else it belongs to: a settlement, a decision, a reversal, an adjustment.
  document_id uuid,
  posted_at timestamptz not null,
  primary key (merchant_id, id),
  constraint ledger_postings_two_sides check (debit_account <> credit_account)
);
create index ledger_postings_payment on ledger_postings (merchant_id, payment_id) where payment_id is not null;
create index ledger_postings_document on ledger_postings (merchant_id, document_id) where document_id is not null;
create index ledger_postings_transfer on ledger_postings (transfer_id)
  where payment_id is null and transfer_id is not null;

-- Debits less credits, per book, account and currency.
create table ledger_balances (
  merchant_id uuid not null,
  account text not null,
  currency text not null,
  balance bigint not null,
  primary key (merchant_id, account, currency)
) with (fillfactor = 70);
-- The balance of a bank account is spread over the books of all merchants whose payers paid to it.
create index ledger_balances_bank on ledger_balances (account) where account like 'bank:%';
create index ledger_balances_owed on ledger_balances (currency, balance) where account like 'overpayment:%' and balance < 0;

-- Postings that no payment or settlement explains: one operator drafts them, another one posts them.
create table ledger_adjustments (
  merchant_id uuid not null,
  id uuid not null,
  -- The operator's own name of the adjustment: the same reference is the same adjustment.
  reference text collate "C" not null,
  debit_account text not null,
  credit_account text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  reason text not null,
  booked_at timestamptz not null,
  status text not null check (status in ('draft', 'posted', 'rejected')),
  drafted_by text not null,
  decided_by text,
  created_at timestamptz not null,
  decided_at timestamptz,
  primary key (merchant_id, id),
  constraint ledger_adjustments_reference_once unique (merchant_id, reference),
  constraint ledger_adjustments_two_sides check (debit_account <> credit_account),
  constraint ledger_adjustments_by_two check (status <> 'posted' or decided_by <> drafted_by),
  constraint ledger_adjustments_decision_has_author check ((status = 'draft') = (decided_by is null)),
  constraint ledger_adjustments_decision_has_time check ((status = 'draft') = (decided_at is null))
);
create index ledger_adjustments_bank on ledger_adjustments (booked_at)
  where status = 'posted' and (debit_account like 'bank:%' or credit_account like 'bank:%');

-- Where settlements of a merchant may be sent: proposed by one operator, approved by another one, and never changed.
create table destinations (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  kind text not null check (kind in ('tron', 'ethereum', 'iban', 'ru-account')),
  -- In the only spelling of its kind.
  address text collate "C" not null,
  label text not null,
  -- The merchant, or its member, that asked for it; then the operator who takes that up is who proposes it.
  requested_by text,
  proposed_by text,
  proposed_at timestamptz not null,
  approved_by text,
  -- When settlements may first be sent there: some time after the approval.
  ready_at timestamptz,
  retired_by text,
  retired_at timestamptz,
  primary key (merchant_id, id),
  constraint destinations_has_author check (requested_by is not null or proposed_by is not null),
  constraint destinations_proposed check (approved_by is null or proposed_by is not null),
  constraint destinations_approval_has_time check ((approved_by is null) = (ready_at is null)),
  constraint destinations_end_has_author check ((retired_by is null) = (retired_at is null))
);
-- An address is in use once per merchant.
create unique index destinations_address on destinations (merchant_id, kind, address) where retired_at is null;

-- What operators pay out to merchants. It reserves its amount from the beginning, so that no balance is settled twice.
create table settlements (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  -- Its author's own name of the settlement: the same reference is the same settlement.
  reference text collate "C" not null,
  currency text not null check (currency ~ '^([a-z]{3}|USDT)$'),
  amount bigint not null check (amount > 0),
  destination text not null,
  status text not null check (status in ('requested', 'draft', 'approved', 'paid', 'failed', 'canceled')),
  -- Whether another operator than its author must approve it.
  second_person boolean not null,
  -- The number of the latest event.
  sequence integer not null check (sequence >= 1),
  -- The merchant, its member or its schedule that asked for it; then the operator who takes that up is its author.
  requested_by text,
  drafted_by text,
  approved_by text,
  external_reference text collate "C",
  -- Whether outgoing money of a bank has paid it, and no operator said so.
  is_proven boolean not null check (not is_proven or status = 'paid'),
  failure text,
  -- Who would fail it, if it was approved and took two people.
  failing_by text,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  -- Null for settlements that were drafted before there were destinations; `destination` is its text at the draft.
  destination_id uuid,
  primary key (merchant_id, id),
  constraint settlements_reference_once unique (merchant_id, reference),
  constraint settlements_external_reference_once unique (merchant_id, external_reference),
  constraint settlements_destination
    foreign key (merchant_id, destination_id) references destinations (merchant_id, id),
  constraint settlements_external_reference_of_paid check ((status = 'paid') = (external_reference is not null)),
  constraint settlements_failure_of_failed check ((status = 'failed') = (failure is not null)),
  constraint settlements_large_by_two check (not second_person or approved_by <> drafted_by),
  constraint settlements_has_author check (requested_by is not null or drafted_by is not null),
  constraint settlements_approved check ((status not in ('approved', 'paid')) or approved_by is not null and drafted_by is not null)
);
create index settlements_requested on settlements (merchant_id, created_at) where requested_by is not null;

-- Every change of a settlement's status, numbered without gaps from its draft.
create table settlement_events (
  merchant_id uuid not null,
  settlement_id uuid not null,
  sequence integer not null check (sequence >= 1),
  status text not null,
  actor text not null,
  at timestamptz not null,
  primary key (merchant_id, settlement_id, sequence),
  foreign key (merchant_id, settlement_id) references settlements (merchant_id, id)
);

-- The outbox of merchants' reports by e-mail: one for each merchant and period, however many nodes there are.
create table report_mails (
  merchant_id uuid not null references merchants (id),
  -- A day, `2026-01-31`, or a month, `2026-01`, in UTC.
  period text not null check (period ~ '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$'),
  -- Names the mail at every attempt.
  id uuid not null,
  -- Of one that is `sending` for long, nobody knows whether it has arrived: it has failed, and is not sent again.
  state text not null check (state in ('pending', 'sending', 'sent', 'failed', 'dropped')),
  -- When it is to be sent; of one that is `sending`, when that began.
  due_at timestamptz not null,
  attempts integer not null check (attempts >= 0),
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (merchant_id, period),
  constraint report_mails_finished check ((state in ('pending', 'sending')) = (finished_at is null)),
  constraint report_mails_error_of_failed check (state <> 'failed' or last_error is not null)
);
create index report_mails_open on report_mails (due_at) where finished_at is null;

-- What an account held at the end of a day, according to a bank statement or an operator. Reconciliation compares it
-- with the ledger.
create table closing_balances (
  requisite_id uuid not null references requisites (id),
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  -- The nil UUID for what an operator entered.
  statement_id uuid not null,
  ends_at timestamptz not null,
  currency text not null,
  balance bigint not null,
  source text not null,
  recorded_at timestamptz not null,
  -- Who alone says so: an operator who entered it, or confirmed its file alone; '' for a statement that is not lone.
  -- Nobody replaces what another person has said.
  reported_by text not null,
  primary key (requisite_id, day, statement_id, reported_by)
);
create index closing_balances_statement on closing_balances (statement_id);

-- What an account held before the first day whose transfers are recorded. Set once per account.
create table opening_balances (
  requisite_id uuid primary key references requisites (id),
  -- The first day that has its transfers here.
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  begins_at timestamptz not null,
  currency text not null,
  balance bigint not null,
  reason text not null,
  set_by text not null,
  set_at timestamptz not null,
  -- A lower opening balance that one operator proposes, until another one sets the same.
  proposed_day text,
  proposed_balance bigint,
  proposed_by text
);
