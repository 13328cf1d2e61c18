-- History of finished payments that was written to files and then deleted here.

-- The files, each with the hash of the one before it.
create table archive_files (
  number integer primary key check (number >= 1),
  -- Its name in the storage of files.
  id uuid not null,
  -- When the first and the last of its payments were created.
  first_at timestamptz not null,
  last_at timestamptz not null,
  payments integer not null check (payments >= 1),
  events bigint not null,
  notifications bigint not null,
  acknowledgements bigint not null,
  bytes bigint not null,
  -- SHA-256 of the file as it is stored, and of the file before it; empty for the first one.
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  previous_hash text not null,
  archived_at timestamptz not null
);

-- Which payments have their events up to a sequence in which file.
create table archived_payments (
  merchant_id uuid not null,
  payment_id uuid not null,
  file integer not null,
  sequence integer not null check (sequence >= 1),
  primary key (merchant_id, payment_id)
);

-- Per merchant the last position, the number and the sum of the positions of the notifications that were archived: with
-- those in the outbox, they are all positions from 1.
create table archived_notifications (
  merchant_id uuid primary key,
  through bigint not null,
  notifications bigint not null,
  positions numeric not null
);

-- Which process is archiving, and what it has come to.
create table archive_progress (
  one boolean not null default true primary key check (one),
  leased_by uuid,
  leased_until timestamptz,
  -- Everything from before was looked at.
  done_until timestamptz,
  -- When it last began with the oldest payments, for those that were not finished before.
  began_at timestamptz
);
insert into archive_progress default values;

-- The last payment of each merchant that was looked at.
create table archive_cursors (
  merchant_id uuid primary key,
  payment_id uuid not null
);
