-- Receiving accounts and the slots on them: a family of its own, keyed by requisite.

create table requisites (
  id uuid primary key,
  merchant_id uuid references merchants (id),
  -- Real accounts serve live merchants only, made-up ones sandbox merchants only.
  mode text not null check (mode in ('live', 'sandbox')),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  transfer_scope text check (transfer_scope = 'international'),
  bank_issuer text not null references bank_issuers (code),
  holder text not null,
  number_sealed text not null,
  number_index text not null,
  number_masked text not null,
  limits jsonb not null,
  status text not null check (status in ('active', 'paused', 'retired')),
  created_at timestamptz not null,
  unique (method, currency, number_index),
  check ((method = 'by-phone') = (transfer_scope is not null))
);

-- A slot is (requisite, exact amount). Whoever inserts the row, or takes it over after held_until, holds it.
create table slots (
  requisite_id uuid not null,
  amount bigint not null check (amount > 0),
  merchant_id uuid not null,
  payment_id uuid not null,
  taken_at timestamptz not null,
  held_until timestamptz not null,
  primary key (requisite_id, amount)
) with (fillfactor = 85);

-- Holders that were replaced: a transfer booked in their time still finds them.
create table past_slots (
  requisite_id uuid not null,
  amount bigint not null,
  merchant_id uuid not null,
  payment_id uuid not null,
  taken_at timestamptz not null,
  held_until timestamptz not null,
  primary key (requisite_id, amount, taken_at, payment_id)
);
