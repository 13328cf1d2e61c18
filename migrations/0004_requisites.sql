-- Receiving accounts, their slots, and when they rest. The slots are keyed by requisite, not by merchant: a requisite
-- may serve all merchants.

create table bank_issuers (
  code text primary key check (code ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  name text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  sbp_member_id text,
  -- Both are part of a payment QR code (GOST R 56042).
  bic text check (bic ~ '^[0-9]{9}$'),
  correspondent_account text check (correspondent_account ~ '^[0-9]{20}$'),
  -- The operator's own steps and links for customers of the bank.
  guide jsonb not null default '{"links": {}, "steps": {}}',
  aliases jsonb not null default '[]',
  rank integer,
  constraint bank_issuers_rank_positive check (rank >= 1)
);

create table requisites (
  id uuid primary key,
  -- Null for a requisite that serves all merchants of its mode.
  merchant_id uuid references merchants (id),
  -- Real accounts serve live merchants only, made-up ones sandbox merchants only.
  mode text not null check (mode in ('live', 'sandbox')),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  transfer_scope text check (transfer_scope = 'international'),
  bank_issuer text not null references bank_issuers (code),
  holder text not null,
  number_sealed text not null,
  -- Keyed fingerprint of the number, which finds it without opening the seal.
  number_index text not null,
  number_masked text not null,
  limits jsonb not null,
  status text not null check (status in ('active', 'paused', 'retired')),
  created_at timestamptz not null,
  -- Who has said whose money files of an account with its number report.
  added_by text,
  label text,
  recipient_sealed text,
  -- Why money on an account is credited by persons only, and since when; null if it is credited automatically.
  crediting_held jsonb,
  -- A time zone that one operator has set, until another one sets the same.
  proposed_zone jsonb,
  constraint requisites_number_once unique (method, currency, number_index),
  constraint requisites_scope_of_by_phone check ((method = 'by-phone') = (transfer_scope is not null)),
  constraint requisites_label_short check (char_length(label) >= 1 and char_length(label) <= 60)
);

-- A slot is a requisite and an exact amount. Whoever inserts the row, or takes it over after held_until, holds the
-- slot.
create table slots (
  requisite_id uuid not null,
  amount bigint not null check (amount > 0),
  merchant_id uuid not null,
  payment_id uuid not null,
  taken_at timestamptz not null,
  held_until timestamptz not null,
  -- Whether the holder lets others share its amount; they are among the past slots, with an end in the future.
  shares boolean not null default false,
  primary key (requisite_id, amount)
) with (fillfactor = 85);
create index slots_taken on slots (requisite_id, taken_at);

-- Former holders of slots: a transfer that was booked in their time still finds their payment.
create table past_slots (
  requisite_id uuid not null,
  amount bigint not null,
  merchant_id uuid not null,
  payment_id uuid not null,
  taken_at timestamptz not null,
  held_until timestamptz not null,
  -- Former holders keep whether they shared: two may have held one amount at the same time only if both did.
  shares boolean not null default false,
  primary key (requisite_id, amount, taken_at, payment_id)
);
-- Out of years of holders, those of a given time, and what a requisite has carried since the first of the month.
create index past_slots_held on past_slots (requisite_id, held_until);

-- Accounts of bank statements that belong to requisites with other numbers, such as a phone and a card. The money of an
-- account is booked on the first of its requisites and can be for the payments of any of them. Bindings that have ended
-- are kept, because money was recorded by them.
create table statement_accounts (
  number_index text not null,
  requisite_id uuid not null,
  number_masked text not null,
  -- The requisite's rank among those of the account.
  ordinal integer not null check (ordinal >= 1),
  bound_at timestamptz not null,
  bound_by text,
  ended_at timestamptz,
  number_sealed text not null,
  primary key (number_index, requisite_id)
);
create index statement_accounts_requisite on statement_accounts (requisite_id);

-- Automatic pauses of requisites and what led to them; open until an operator resumes or retires the requisite.
create table requisite_pauses (
  requisite_id uuid not null references requisites (id),
  id uuid not null,
  cause text not null check (cause in ('expired', 'unmatched', 'silent')),
  explanation jsonb not null,
  paused_at timestamptz not null,
  ended_at timestamptz,
  primary key (requisite_id, id)
);
create unique index requisite_pauses_open on requisite_pauses (requisite_id) where ended_at is null;
create index requisite_pauses_id on requisite_pauses (id);
