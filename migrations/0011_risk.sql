-- Who may not pay, and how much one payer may pay within a window of time.

-- Payers that are refused. The value is only kept sealed; lookups use its keyed fingerprint (payer_index).
create table risk_blocks (
  id uuid primary key,
  kind text not null check (kind in ('user', 'phone', 'account', 'card')),
  -- Null for a block at every merchant.
  merchant_id uuid references merchants (id),
  payer_index text not null,
  value_sealed text not null,
  value_masked text not null,
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  -- When it ends automatically, and when an operator ended it.
  ends_at timestamptz,
  ended_at timestamptz,
  -- A user id has no meaning outside its merchant.
  constraint risk_blocks_user_of_merchant check (kind <> 'user' or merchant_id is not null)
);
create index risk_blocks_payer on risk_blocks (payer_index);

-- At most max_count payments, or max_amount in a currency, of one payer in any window of this length.
create table risk_rules (
  id uuid primary key,
  kind text not null check (kind in ('user', 'phone', 'account', 'card')),
  -- Null for a rule of every merchant.
  merchant_id uuid references merchants (id),
  window_ms bigint not null check (window_ms >= 1000 and window_ms <= 2678400000),
  max_count integer check (max_count >= 1),
  currency text check (currency ~ '^[a-z]{3}$'),
  max_amount bigint check (max_amount >= 1),
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint risk_rules_has_limit check (max_count is not null or max_amount is not null),
  constraint risk_rules_amount_has_currency check ((currency is null) = (max_amount is null))
);

-- One row per payer that a rule watches. Whoever counts the payer's payments locks it until its own payment is added.
create table risk_payers (
  payer_index text primary key,
  seen_at timestamptz not null
);
create index risk_payers_seen on risk_payers (seen_at);

-- Payments of watched payers, kept for the longest window.
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

-- What was refused or flagged, and by which block or rule.
create table risk_decisions (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  checkpoint text not null check (checkpoint in ('create', 'page', 'transfer')),
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
  where rule = 'block' and kind <> 'user' and checkpoint <> 'create';
