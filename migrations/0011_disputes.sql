-- Claims about payments: who claims how much and why, what was decided, by whom. One open one per payment.
create table disputes (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  state text not null check (state in ('proposed', 'open', 'accepted', 'rejected', 'withdrawn')),
  claimant text not null check (claimant in ('merchant', 'payer', 'operator', 'service')),
  opened_by text not null,
  amount bigint not null check (amount > 0),
  reason text not null,
  note text,
  opened_at timestamptz not null,
  due_at timestamptz not null,
  remind_at timestamptz,
  -- Where the payment goes back to when the claim does not hold.
  from_status text not null check (from_status in ('expired', 'canceled', 'failed', 'paid', 'disput-paid')),
  from_final_amount bigint check (from_final_amount > 0),
  -- What one operator wants to credit without money that covers it, and the second one who agreed.
  correction_amount bigint check (correction_amount > 0),
  correction_by text,
  correction_at timestamptz,
  -- The transfers that the acceptance takes from the inbox and gives back to it, when it is confirmed.
  correction_plan jsonb,
  confirmed_by text,
  confirmed_at timestamptz,
  final_amount bigint check (final_amount > 0),
  decided_by text,
  decided_at timestamptz,
  decision_note text,
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id),
  check ((from_status = 'disput-paid') = (from_final_amount is not null)),
  check ((correction_amount is null) = (correction_by is null)),
  check ((correction_amount is null) = (correction_at is null)),
  check (confirmed_by is null or (correction_by is not null and confirmed_by <> correction_by)),
  check ((confirmed_by is null) = (confirmed_at is null)),
  check ((state in ('proposed', 'open')) = (decided_at is null)),
  check ((decided_at is null) = (decided_by is null)),
  check ((state = 'accepted') = (final_amount is not null))
);
create unique index disputes_undecided on disputes (merchant_id, payment_id) where decided_at is null;
create index disputes_payment on disputes (merchant_id, payment_id);
create index disputes_due on disputes (due_at) where decided_at is null;
create index disputes_remind on disputes (remind_at) where remind_at is not null;

-- What happened to a dispute, numbered without gaps.
create table dispute_events (
  merchant_id uuid not null,
  dispute_id uuid not null,
  sequence integer not null check (sequence >= 1),
  kind text not null,
  actor text not null,
  note text,
  at timestamptz not null,
  primary key (merchant_id, dispute_id, sequence),
  foreign key (merchant_id, dispute_id) references disputes (merchant_id, id)
);

-- Files that prove a claim; sealed, never changed or removed.
create table dispute_evidence (
  merchant_id uuid not null,
  dispute_id uuid not null,
  id uuid not null,
  uploaded_by text not null,
  -- Keyed fingerprint of the content: the same file twice is one.
  content_index text not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'application/pdf')),
  size integer not null check (size > 0),
  content_sealed text not null,
  received_at timestamptz not null,
  primary key (merchant_id, dispute_id, id),
  unique (merchant_id, dispute_id, content_index),
  foreign key (merchant_id, dispute_id) references disputes (merchant_id, id)
);

-- When a payer's claim is looked at next, whether it has become a dispute; the claims that exist are looked at at once.
alter table payer_claims add column look_at timestamptz default '1970-01-01T00:00:00Z';
create index payer_claims_look on payer_claims (look_at) where look_at is not null;

-- Parts of transfers that people assign, split, ignore and take back: a part that is taken back stays as history.
alter table transfer_allocations
  add column allocated_by text not null default 'service',
  add column note text,
  add column reversed_at timestamptz,
  drop constraint transfer_allocations_kind_check,
  drop constraint transfer_allocations_outcome_check,
  drop constraint transfer_allocations_check,
  add constraint transfer_allocations_kind_check check (kind in ('payment', 'overpayment', 'suspense', 'ignored')),
  add constraint transfer_allocations_outcome_check check (
    outcome in ('exact', 'under', 'over', 'late', 'duplicate', 'ambiguous', 'none', 'assigned', 'ignored', 'undone')
  ),
  add constraint transfer_allocations_place_check check ((kind in ('suspense', 'ignored')) = (payment_id is null));

-- How a case ended, by whom and why.
alter table suspense_cases
  add column resolution text check (resolution in ('assigned', 'ignored')),
  add column resolved_by text,
  add column note text;

-- What a sender has written, and the bank that it has sent from: both speak for a payment.
alter table transfers add column text_sealed text, add column sender_bank text;
