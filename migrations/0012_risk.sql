-- Who may not pay, how much one payer may pay in a span of time, and why a requisite rests.

alter table catalog_versions drop constraint catalog_versions_part_check;
alter table catalog_versions add constraint catalog_versions_part_check
  check (part in ('merchants', 'tokens', 'requisites', 'rates', 'banks', 'risk'));
insert into catalog_versions (part, version) values ('risk', 1);

-- Payers that are refused. The value itself is only sealed; what is looked for is its keyed fingerprint.
create table risk_blocks (
  id uuid primary key,
  kind text not null check (kind in ('user', 'phone', 'account', 'card')),
  merchant_id uuid references merchants (id),
  payer_index text not null,
  value_sealed text not null,
  value_masked text not null,
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  -- When it ends by itself, and when an operator ended it.
  ends_at timestamptz,
  ended_at timestamptz,
  -- A merchant's name of its user means nothing to another merchant.
  check (kind <> 'user' or merchant_id is not null)
);
create index risk_blocks_payer on risk_blocks (payer_index);

-- At most max_count payments, or max_amount in a currency, of one payer in any window of this length.
create table risk_rules (
  id uuid primary key,
  kind text not null check (kind in ('user', 'phone', 'account', 'card')),
  merchant_id uuid references merchants (id),
  window_ms bigint not null check (window_ms between 1000 and 2678400000),
  max_count integer check (max_count >= 1),
  currency text check (currency ~ '^[a-z]{3}$'),
  max_amount bigint check (max_amount >= 1),
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  check (max_count is not null or max_amount is not null),
  check ((currency is null) = (max_amount is null))
);

-- One row per payer that a rule watches: whoever counts its payments holds this row until it has added its own.
create table risk_payers (
  payer_index text primary key,
  seen_at timestamptz not null
);
create index risk_payers_seen on risk_payers (seen_at);

-- Payments of watched payers, for as long as the longest window.
create table risk_uses (
  payer_index text not null,
  kind text not null,
  merchant_id uuid not null,
  payment_id uuid not null,
  mode text not null,
  currency text not null,
  amount bigint not null,
  at timestamptz not null,
  primary key (payer_index, kind, merchant_id, payment_id)
);
create index risk_uses_at on risk_uses (at);

create table risk_decisions (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  place text not null check (place in ('create', 'page', 'transfer')),
  outcome text not null check (outcome in ('refused', 'flagged')),
  rule text not null check (rule in ('block', 'velocity')),
  rule_id uuid not null,
  kind text not null check (kind in ('user', 'phone', 'account', 'card')),
  explanation jsonb not null,
  decided_at timestamptz not null,
  primary key (merchant_id, id)
);
create index risk_decisions_id on risk_decisions (id);
create index risk_decisions_payment on risk_decisions (merchant_id, payment_id);
-- Users who have shown a blocked number.
create index risk_decisions_shown on risk_decisions (rule_id)
  where rule = 'block' and kind <> 'user' and place <> 'create';

-- Automatic pauses of requisites with what led to them; open until an operator resumes or retires the requisite.
create table requisite_pauses (
  requisite_id uuid not null references requisites (id),
  id uuid not null,
  cause text not null check (cause in ('expired', 'unmatched')),
  explanation jsonb not null,
  paused_at timestamptz not null,
  ended_at timestamptz,
  primary key (requisite_id, id)
);
create unique index requisite_pauses_open on requisite_pauses (requisite_id) where ended_at is null;
create index requisite_pauses_id on requisite_pauses (id);
