-- What a posting belongs to beside a payment or a transfer: a settlement, a decision, a reversal, an adjustment.
alter table ledger_postings add column document_id uuid;
create index ledger_postings_document on ledger_postings (merchant_id, document_id) where document_id is not null;

-- Balances of a bank account lie in the books of all merchants whose payers paid to it.
create index ledger_balances_bank on ledger_balances (account) where account like 'bank:%';

-- Some news are of settlements.
alter table outbox add column settlement_id uuid;

-- What operators pay out to merchants. A draft has reserved its amount already, so no balance is settled twice.
create table settlements (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  -- The operator's own name of the settlement: the same one again is the same settlement.
  reference text collate "C" not null,
  currency text not null check (currency = 'USDT'),
  amount bigint not null check (amount > 0),
  destination text not null,
  status text not null check (status in ('draft', 'approved', 'paid', 'failed')),
  second_person boolean not null,
  sequence integer not null check (sequence >= 1),
  drafted_by text not null,
  approved_by text,
  external_reference text collate "C",
  failure text,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, reference),
  unique (merchant_id, external_reference),
  check ((status = 'paid') = (external_reference is not null)),
  check ((status = 'failed') = (failure is not null)),
  check (status not in ('approved', 'paid') or approved_by is not null)
);

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

-- What became of money that a payment could not take.
create table overpayment_decisions (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  reference text collate "C" not null,
  decision text not null check (decision in ('assign', 'refund', 'write-off')),
  currency text not null,
  amount bigint not null check (amount > 0),
  -- Of a refund: the requisite that paid it, the bank's reference and time.
  requisite_id uuid,
  booked_at timestamptz not null,
  reason text not null,
  decided_by text not null,
  decided_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, reference),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id),
  check ((decision = 'refund') = (requisite_id is not null))
);
create index overpayment_decisions_payment on overpayment_decisions (merchant_id, payment_id);
create index overpayment_decisions_requisite on overpayment_decisions (requisite_id) where requisite_id is not null;

-- Postings that no payment or settlement explains: one operator drafts them, another one posts them.
create table ledger_adjustments (
  merchant_id uuid not null,
  id uuid not null,
  reference text collate "C" not null,
  debit_account text not null,
  credit_account text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  reason text not null,
  booked_at timestamptz not null,
  reverses uuid,
  status text not null check (status in ('draft', 'posted', 'rejected')),
  drafted_by text not null,
  decided_by text,
  created_at timestamptz not null,
  decided_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, reference),
  check (debit_account <> credit_account),
  check ((status = 'draft') = (decided_by is null)),
  check ((status = 'draft') = (decided_at is null))
);
create index ledger_adjustments_bank on ledger_adjustments (booked_at)
  where status = 'posted' and (debit_account like 'bank:%' or credit_account like 'bank:%');
-- An entry is reversed once; a reversal that was rejected does not count.
create unique index ledger_adjustments_reversed on ledger_adjustments (merchant_id, reverses) where status <> 'rejected';

-- What statements, and people by hand, say that an account held at the end of a day.
create table closing_balances (
  requisite_id uuid not null references requisites (id),
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  -- The nil UUID for what was noted by hand.
  statement_id uuid not null,
  ends_at timestamptz not null,
  currency text not null,
  balance bigint not null,
  source text not null,
  recorded_at timestamptz not null,
  primary key (requisite_id, day, statement_id)
);
create index closing_balances_statement on closing_balances (statement_id);
