-- Merchants and what operators set for them. Small tables: every node keeps them in memory as part of the catalog.

create table merchants (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 200),
  mode text not null check (mode in ('live', 'sandbox')),
  status text not null check (status in ('active', 'suspended')),
  settings jsonb not null,
  created_at timestamptz not null
);

-- Where a merchant's terms (windows, tolerance, policy, fee) differ from the default ones, per payment method.
create table merchant_terms (
  merchant_id uuid not null references merchants (id),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  terms jsonb not null,
  primary key (merchant_id, method)
);

-- Bounds of a payment's amount in minor units. The nil UUID means every merchant.
create table currency_limits (
  merchant_id uuid not null,
  currency text not null check (currency ~ '^[a-z]{3}$'),
  min_amount bigint not null,
  max_amount bigint not null,
  primary key (merchant_id, currency),
  constraint currency_limits_ordered
    check (0 < min_amount and min_amount <= max_amount and max_amount < 1000000000000000)
);

-- A request brings nothing but the token, so the key is the token's hash and the row names the merchant.
create table access_tokens (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  id uuid not null unique,
  merchant_id uuid not null references merchants (id),
  name text not null,
  -- The first characters of the token, by which people recognise it.
  prefix text not null,
  scopes jsonb not null,
  allow_list jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index access_tokens_merchant on access_tokens (merchant_id);

-- Logos on the payment page. A picture is served under its hash, so that browsers may cache it forever.
create table merchant_logos (
  merchant_id uuid primary key references merchants (id),
  hash text not null check (hash ~ '^[0-9a-f]{32}$'),
  content_type text not null check (content_type in ('image/png', 'image/jpeg')),
  content text not null
);
create index merchant_logos_hash on merchant_logos (hash);

-- Prices of one unit of the quote currency in fiat, scaled by 10^8. The newest valid one counts.
create table rates (
  currency text not null check (currency ~ '^[a-z]{3}$'),
  quote text not null check (quote = 'USDT'),
  created_at timestamptz not null,
  price bigint not null check (price > 0),
  source text not null,
  valid_until timestamptz,
  primary key (currency, quote, created_at)
);
