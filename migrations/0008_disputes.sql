-- Disputes about payments, and what payers send to prove that they paid.

-- A payer's claim to have paid a closed payment, one per payment.
create table payer_claims (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  amount bigint not null check (amount > 0),
  paid_at timestamptz not null,
  received_at timestamptz not null,
  -- When a job next checks whether the claim becomes a dispute; at once by default.
  check_at timestamptz default '1970-01-01 00:00:00+00',
  primary key (merchant_id, payment_id),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id)
);
create index payer_claims_id on payer_claims (id);
create index payer_claims_check on payer_claims (check_at) where check_at is not null;

-- Files that payers upload as a proof; sealed, because a receipt names its payer.
create table payer_receipts (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  -- Keyed fingerprint of the content.
  content_index text not null,
  content_type text not null check (
    content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/heic', 'application/pdf')
  ),
  size integer not null check (size > 0),
  content_sealed text not null,
  received_at timestamptz not null,
  -- A file that is kept outside of the database has the hash of what is stored there; its content_sealed is the key
  -- of it.
  content_hash text,
  primary key (merchant_id, payment_id, id),
  constraint payer_receipts_content_once unique (merchant_id, payment_id, content_index),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id)
);
create index payer_receipts_id on payer_receipts (id);
create index payer_receipts_kept on payer_receipts (id) where content_hash is null;

-- Who claims how much for a payment and why; what was decided, and by whom.
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
  -- What the payment returns to when the claim is not accepted.
  from_status text not null check (from_status in ('expired', 'canceled', 'failed', 'paid', 'disput-paid')),
  from_final_amount bigint check (from_final_amount > 0),
  -- What one operator proposes to credit beyond the money that covers it, and the second operator who agreed.
  correction_amount bigint check (correction_amount > 0),
  correction_by text,
  correction_at timestamptz,
  -- The transfers that the acceptance assigns and unassigns once it is confirmed.
  correction_plan jsonb,
  -- The money that the payment would then have had when this was proposed.
  correction_money bigint check (correction_money >= 0),
  confirmed_by text,
  confirmed_at timestamptz,
  final_amount bigint check (final_amount > 0),
  decided_by text,
  decided_at timestamptz,
  decision_note text,
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id),
  constraint disputes_final_amount_before check ((from_status = 'disput-paid') = (from_final_amount is not null)),
  constraint disputes_correction_has_author check ((correction_amount is null) = (correction_by is null)),
  constraint disputes_correction_has_time check ((correction_amount is null) = (correction_at is null)),
  constraint disputes_correction_has_money check ((correction_amount is null) = (correction_money is null)),
  constraint disputes_confirmed_by_second_person
    check (confirmed_by is null or correction_by is not null and confirmed_by <> correction_by),
  constraint disputes_confirmed_whole check ((confirmed_by is null) = (confirmed_at is null)),
  constraint disputes_decided check ((state in ('proposed', 'open')) = (decided_at is null)),
  constraint disputes_decided_whole check ((decided_at is null) = (decided_by is null)),
  constraint disputes_decided_after_opened
    check (decided_at is null or decided_at >= opened_at and remind_at is null),
  constraint disputes_final_amount_of_accepted check ((state = 'accepted') = (final_amount is not null))
);
-- At most one dispute of a payment is undecided.
create unique index disputes_undecided on disputes (merchant_id, payment_id) where decided_at is null;
create index disputes_payment on disputes (merchant_id, payment_id);
create index disputes_due on disputes (due_at) where decided_at is null;
create index disputes_remind on disputes (remind_at) where remind_at is not null;
create index disputes_by_amount on disputes (merchant_id, amount, id);

-- The history of a dispute, numbered without gaps.
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
  -- Keyed fingerprint of the content.
  content_index text not null,
  content_type text not null check (
    content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/heic', 'application/pdf')
  ),
  size integer not null check (size > 0),
  content_sealed text not null,
  received_at timestamptz not null,
  content_hash text,
  primary key (merchant_id, dispute_id, id),
  constraint dispute_evidence_content_once unique (merchant_id, dispute_id, content_index),
  foreign key (merchant_id, dispute_id) references disputes (merchant_id, id)
);
create index dispute_evidence_id on dispute_evidence (id);
create index dispute_evidence_kept on dispute_evidence (id) where content_hash is null;
