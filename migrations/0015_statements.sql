-- Files of banks, from the reading to the undoing. A row of a file is kept as it was read; what became of it stands in
-- transfers.

create table statement_sources (
  id uuid primary key,
  name text not null unique,
  -- The receiving accounts that it may report money for.
  requisite_ids jsonb not null,
  -- How its CSV files are read.
  mapping jsonb,
  -- With this key its pushes are signed; none where it may not push.
  key_sealed text,
  key_prefix text,
  created_at timestamptz not null,
  last_seen_at timestamptz
);

-- Accounts of statements that belong to requisites with other numbers, such as a phone and a card. The money of an
-- account is booked on the first of its requisites, and is for the payments of all of them. Bindings that have ended
-- are kept: money went by them.
create table statement_accounts (
  number_index text not null,
  requisite_id uuid not null,
  number_masked text not null,
  place integer not null check (place >= 1),
  bound_at timestamptz not null,
  ended_at timestamptz,
  primary key (number_index, requisite_id)
);
create index statement_accounts_requisite on statement_accounts (requisite_id);

create table statements (
  id uuid primary key,
  state text not null
    check (state in ('reading', 'ready', 'refused', 'discarded', 'importing', 'imported', 'undone')),
  file_name text not null,
  source_id uuid,
  size bigint,
  content_hash text,
  format text check (format in ('camt', '1c', 'mt940', 'csv')),
  charset text,
  mapping jsonb,
  accounts jsonb not null,
  counts jsonb not null,
  faults jsonb not null,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  confirmed_by text,
  confirmed_at timestamptz,
  -- The last row that has been recorded; a restart goes on behind it.
  imported_to integer not null default 0,
  imported_at timestamptz,
  undone_by text,
  undone_at timestamptz,
  undo_reason text,
  check ((state in ('importing', 'imported', 'undone')) = (confirmed_at is not null)),
  check ((state = 'undone') = (undone_at is not null)),
  check (state not in ('imported', 'undone') or imported_at is not null)
);
create index statements_under_way on statements (id) where state in ('reading', 'importing');

-- Which statement stands for a content: whoever inserts the row imports the file, all others are shown that one.
create table statement_contents (
  content_hash text primary key,
  statement_id uuid not null
);

create table statement_rows (
  statement_id uuid not null,
  position integer not null check (position >= 1),
  line integer not null,
  kind text not null check (kind in ('booked', 'reversal')),
  requisite_id uuid not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_at timestamptz not null,
  -- Equal for equal rows of a requisite; the ordinal among them makes the dedupe key.
  fingerprint text not null,
  dedupe_key text not null,
  bank_reference text,
  sender_masked text not null,
  details_sealed text not null,
  -- Whether it was known when the file was read.
  duplicate boolean not null,
  -- The transfer that it was recorded as, or that it repeats.
  transfer_id uuid,
  repeated boolean,
  primary key (statement_id, position)
);
create index statement_rows_equal on statement_rows (statement_id, fingerprint);
-- Which statements tell of a transfer: one that others repeat is not undone.
create index statement_rows_transfer on statement_rows (requisite_id, transfer_id) where transfer_id is not null;

-- What the bank took back, as it reported it. Without a transfer nobody knows what was taken back, and an operator decides.
create table transfer_reversals (
  requisite_id uuid not null,
  id uuid not null,
  dedupe_key text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_at timestamptz not null,
  source text not null,
  bank_reference text,
  sender_masked text not null,
  transfer_id uuid,
  recorded_at timestamptz not null,
  -- An operator has named the transfer, or said that there is none.
  resolved_at timestamptz,
  resolved_by text,
  note text,
  primary key (requisite_id, id),
  unique (requisite_id, dedupe_key)
);
create index transfer_reversals_open on transfer_reversals (id) where transfer_id is null and resolved_at is null;
create unique index transfer_reversals_once on transfer_reversals (requisite_id, transfer_id) where transfer_id is not null;
-- A reversal that names no reference is looked for by its amount.
create index transfers_by_amount on transfers (requisite_id, amount, booked_at);

-- Money that went back: its import was undone, or the bank took it before any payment was credited.
alter table transfer_allocations
  drop constraint transfer_allocations_kind_check,
  drop constraint transfer_allocations_place_check,
  add constraint transfer_allocations_kind_check
    check (kind in ('payment', 'overpayment', 'suspense', 'ignored', 'returned')),
  add constraint transfer_allocations_place_check
    check (kind = 'returned' or (kind in ('suspense', 'ignored')) = (payment_id is null));
