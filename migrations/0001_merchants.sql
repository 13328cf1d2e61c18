-- Merchants and what the operator sets for them. Small tables, read as one catalog into memory by every node.

create table service_state (
  name text primary key,
  value text not null
);

-- One counter per part of the catalog; every change raises it, nodes reload a part when its counter moved.
create table catalog_versions (
  part text primary key check (part in ('merchants', 'tokens', 'requisites', 'rates', 'banks')),
  version bigint not null
);
insert into catalog_versions (part, version) values ('merchants', 1), ('tokens', 1), ('requisites', 1), ('rates', 1), ('banks', 1);

create table merchants (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 200),
  mode text not null check (mode in ('live', 'sandbox')),
  status text not null check (status in ('active', 'suspended')),
  settings jsonb not null,
  created_at timestamptz not null
);

-- What a merchant overrides of the default terms (windows, tolerance, policy, fee), per payment method.
create table merchant_terms (
  merchant_id uuid not null references merchants (id),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  terms jsonb not null,
  primary key (merchant_id, method)
);

-- Bounds of a payment's amount in minor units; the nil UUID stands for every merchant.
create table currency_limits (
  merchant_id uuid not null,
  currency text not null check (currency ~ '^[a-z]{3}$'),
  min_amount bigint not null,
  max_amount bigint not null,
  primary key (merchant_id, currency),
  check (0 < min_amount and min_amount <= max_amount and max_amount < 1000000000000000)
);

-- A token arrives alone, so it is found by its hash and names the merchant.
create table access_tokens (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  id uuid not null unique,
  merchant_id uuid not null references merchants (id),
  name text not null,
  prefix text not null,
  scopes jsonb not null,
  allow_list jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index access_tokens_merchant on access_tokens (merchant_id);

-- Price of one unit of the quote currency in fiat, scaled by 10^8.
create table rates (
  currency text not null check (currency ~ '^[a-z]{3}$'),
  quote text not null check (quote = 'USDT'),
  created_at timestamptz not null,
  price bigint not null check (price > 0),
  source text not null,
  valid_until timestamptz,
  primary key (currency, quote, created_at)
);

create table bank_issuers (
  code text primary key check (code ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  name text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  sbp_member_id text
);
