-- What the processes of one service share, and what its checks need not read again.

-- Facts about the installation, such as a check value of its encryption keys.
create table service_state (
  name text primary key,
  value text not null
);

-- One counter per part of the catalog, which every node keeps in memory. Every change raises the counter of its part;
-- nodes reload a part when its counter has moved.
create table catalog_versions (
  part text primary key check (part in ('merchants', 'tokens', 'requisites', 'rates', 'banks', 'risk', 'templates')),
  version bigint not null
);
insert into catalog_versions (part, version)
values ('merchants', 1), ('tokens', 1), ('requisites', 1), ('rates', 1), ('banks', 1), ('risk', 1), ('templates', 1);

-- One row at most: the rotation that was started last.
create table key_rotations (
  -- The key that everything is sealed with when it has ended.
  key_id text primary key,
  started_by text not null,
  started_at timestamptz not null,
  finished_at timestamptz
);

-- How far each table is. A table is read again until a pass finds nothing to renew.
create table key_rotation_steps (
  key_id text not null references key_rotations (key_id) on delete cascade,
  step text not null,
  -- The last row of the pass that was looked at; null at its beginning.
  position jsonb,
  -- Rows that this pass has renewed, and those that all passes have.
  renewed_in_pass bigint not null default 0,
  renewed bigint not null default 0,
  finished_at timestamptz,
  primary key (key_id, step)
);

-- Up to when everything was verified, and the audit's last entry then.
create table verified_history (
  one boolean not null default true primary key check (one),
  until timestamptz not null,
  -- The least id of that time.
  until_id uuid not null,
  checked_at timestamptz not null,
  audit_sequence bigint not null,
  audit_hash text not null
);

-- The sums of the postings until then: with those since, they are the balances of the ledger.
create table verified_balances (
  merchant_id uuid not null,
  account text not null,
  currency text not null,
  balance bigint not null,
  primary key (merchant_id, account, currency)
);

-- The last event of each merchant whose position was verified.
create table verified_positions (
  merchant_id uuid primary key,
  position bigint not null
);
