-- What the bank reported, as it reported it; never changed.
create table transfers (
  requisite_id uuid not null references requisites (id),
  id uuid not null,
  dedupe_key text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_at timestamptz not null,
  source text not null,
  bank_reference text,
  sender_sealed text,
  sender_masked text not null,
  sender_index text,
  recorded_at timestamptz not null,
  primary key (requisite_id, id),
  unique (requisite_id, dedupe_key)
);

-- Where each kopeck of a transfer went; the parts of a transfer add up to its amount.
create table transfer_allocations (
  requisite_id uuid not null,
  transfer_id uuid not null,
  part integer not null check (part >= 1),
  kind text not null check (kind in ('payment', 'overpayment', 'suspense')),
  amount bigint not null check (amount > 0),
  merchant_id uuid,
  payment_id uuid,
  outcome text not null check (outcome in ('exact', 'under', 'over', 'late', 'duplicate', 'ambiguous', 'none')),
  reasons jsonb not null,
  allocated_at timestamptz not null,
  primary key (requisite_id, transfer_id, part),
  foreign key (requisite_id, transfer_id) references transfers (requisite_id, id),
  check ((kind = 'suspense') = (payment_id is null)),
  check ((merchant_id is null) = (payment_id is null))
);
create index transfer_allocations_payment on transfer_allocations (merchant_id, payment_id) where payment_id is not null;

-- One case per transfer that waits in the inbox for a decision.
create table suspense_cases (
  requisite_id uuid not null,
  transfer_id uuid not null,
  outcome text not null,
  suggestions jsonb not null,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  primary key (requisite_id, transfer_id),
  foreign key (requisite_id, transfer_id) references transfers (requisite_id, id)
);
create index suspense_cases_open on suspense_cases (opened_at) where resolved_at is null;
