-- What checks of the invariants need not read again.

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
