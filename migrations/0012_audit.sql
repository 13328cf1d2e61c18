-- What operators did. Each entry carries the hash of the one before it, so that a removed or altered entry is detected.
create table audit_entries (
  sequence bigint primary key check (sequence >= 1),
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  details text not null,
  previous_hash text not null,
  hash text not null
);

-- The last entry; one row, locked by whoever appends.
create table audit_head (
  id integer primary key check (id = 1),
  sequence bigint not null,
  hash text not null
);
insert into audit_head (id, sequence, hash) values (1, 0, '');
