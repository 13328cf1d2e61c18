-- Bank files from upload to withdrawal. A row of a file stays as it was read; the transfer holds what happened to it.

-- Senders of files, such as a bank's API client.
create table statement_sources (
  id uuid primary key,
  name text not null unique,
  -- The requisites that it may report money for.
  requisite_ids jsonb not null,
  -- How its CSV files are read.
  mapping jsonb,
  -- The key that signs its pushes; null where it may not push.
  key_sealed text,
  key_prefix text,
  -- The operator who alone made that key or changed the source, until another one approves it.
  changed_by text,
  -- The source whose money it reports again, by an operator's word.
  same_money_as uuid references statement_sources (id),
  created_at timestamptz not null,
  last_seen_at timestamptz,
  -- Where its files are picked up, and with which password or private key.
  pickup jsonb,
  pickup_secret_sealed text,
  -- When somebody looks there again, and until when a process that does so keeps others from it.
  pickup_due_at timestamptz,
  pickup_until timestamptz,
  picked_up_at timestamptz,
  -- The files that were there and may still have been written.
  pickup_growing jsonb not null default '[]',
  pickup_problem text,
  pickup_failing_since timestamptz,
  constraint statement_sources_same_money_as_another check (same_money_as <> id),
  constraint statement_sources_due check (pickup is null or pickup_due_at is not null)
);

-- Files that were picked up, each once; those that must not be taken, too.
create table picked_files (
  id uuid primary key,
  source_id uuid not null,
  -- What makes it the same file in its place.
  key text not null,
  name text not null,
  origin text not null,
  statement_id uuid,
  -- Why it was not taken, or waits for a person.
  problem text,
  picked_at timestamptz not null,
  unique (source_id, key)
);
-- What may wait for a person.
create index picked_files_problems on picked_files (picked_at) where problem is not null;

create table statements (
  id uuid primary key,
  state text not null check (
    state in ('reading', 'ready', 'refused', 'discarded', 'importing', 'imported', 'withdrawing', 'withdrawn')
  ),
  file_name text not null,
  source_id uuid,
  -- The operator who alone had changed the source as the file was read by it; see statement_sources.
  source_changed_by text,
  size bigint,
  content_hash text,
  format text,
  charset text,
  mapping jsonb,
  accounts jsonb not null,
  counts jsonb not null,
  faults jsonb not null,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  confirmed_by text,
  confirmed_at timestamptz,
  -- The last row that has been recorded; after a restart the import continues from there.
  imported_to integer not null default 0,
  imported_at timestamptz,
  withdrawn_by text,
  withdrawal_reason text,
  -- The last row that was checked, and the last whose transfer was returned; a restart continues from there.
  withdrawal_checked_to integer not null default 0,
  withdrawn_to integer not null default 0,
  withdrawn_at timestamptz,
  -- Why the last withdrawal was given up.
  withdrawal_failure text,
  reported_by text,
  constraint statements_confirmed
    check ((state in ('importing', 'imported', 'withdrawing', 'withdrawn')) = (confirmed_at is not null)),
  constraint statements_imported
    check ((state not in ('imported', 'withdrawing', 'withdrawn')) or imported_at is not null),
  constraint statements_withdrawing check ((state not in ('withdrawing', 'withdrawn')) or withdrawn_by is not null),
  constraint statements_withdrawn check ((state = 'withdrawn') = (withdrawn_at is not null))
);
-- What one person alone has reported lately.
create index statements_reported_alone on statements (reported_by, confirmed_at) where reported_by is not null;
create index statements_under_way on statements (id) where state in ('reading', 'importing', 'withdrawing');

-- A content is one statement: later uploads are shown that one.
create unique index statements_of_content on statements (content_hash)
  where state in ('ready', 'importing', 'imported', 'withdrawing');

-- The numbers of the accounts in files, for whether another file is of the same account.
create table statement_numbers (
  statement_id uuid not null,
  -- The place of the account among those of its statement, from 0.
  account integer not null,
  -- A number counts with and without the code of its bank.
  spelling integer not null,
  requisite_id uuid not null,
  -- Null if the file does not name the account.
  number_index text,
  number_sealed text,
  primary key (statement_id, account, spelling),
  constraint statement_numbers_sealed check ((number_index is null) = (number_sealed is null))
);
create index statement_numbers_of_account on statement_numbers (number_index, requisite_id);

create table statement_rows (
  statement_id uuid not null,
  position integer not null check (position >= 1),
  -- Where the row begins in the file.
  line integer not null,
  -- Outgoing money, and such that the bank gave back, are outgoing transfers.
  kind text not null check (kind in ('booked', 'reversal', 'outgoing', 'outgoing-reversal')),
  requisite_id uuid not null,
  -- Whether nothing but an operator's choice says which requisite it is for.
  chosen boolean not null default false,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_at timestamptz not null,
  -- The day of a row without a time, in the zone of its account; booked_at is its last moment.
  booked_on text,
  -- The same for equal rows of a requisite; with the row's ordinal among them it makes the dedupe key.
  fingerprint text not null,
  dedupe_key text not null,
  -- As of a transfer.
  likeness text,
  channel text not null,
  bank_reference text,
  reference_kind text,
  -- The booking that the row is a part of, or is, and its whole amount: files report a booking as a sum or in parts.
  booking_reference text,
  booking_amount bigint,
  sender_masked text not null,
  details_sealed text not null,
  -- Whether its transfer or reversal was known when the file was read.
  already_known boolean not null,
  -- The transfer that it duplicates for certain, or may: as found when the file was read, and then as it was recorded.
  duplicate_of uuid,
  duplicate_certain boolean not null default false,
  -- Whether, as far as its preview says, one person alone has reported that transfer, and the row takes its place if two
  -- agree on the file.
  replaces boolean not null default false,
  -- The transfer that it was recorded as, and whether it added that or its reversal; null until then.
  transfer_id uuid,
  added boolean,
  -- How many payments a booking is the sum of: a file may report the sum, and another one its parts.
  booking_payments integer,
  primary key (statement_id, position)
);
create index statement_rows_equal on statement_rows (statement_id, fingerprint);
-- Which statements report a transfer: it is not returned while another one still does.
create index statement_rows_transfer on statement_rows (requisite_id, transfer_id) where transfer_id is not null;
create index statement_rows_booking on statement_rows (requisite_id, booking_reference)
  where booking_reference is not null;
-- What was recorded for a chosen requisite must not count again for another one.
create index statement_rows_chosen on statement_rows (dedupe_key) where chosen;
create index statement_rows_duplicate_of on statement_rows (statement_id, duplicate_of) where duplicate_of is not null;
create index statement_rows_batch on statement_rows (requisite_id, booking_amount, booked_at)
  where booking_payments > 1;
