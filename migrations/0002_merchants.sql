-- Merchants, their tokens, and what operators set for them. Small tables: every node keeps most of them in memory as
-- part of the catalog.

create table merchants (
  id uuid primary key,
  name text not null check (char_length(name) >= 1 and char_length(name) <= 200),
  mode text not null check (mode in ('live', 'sandbox')),
  status text not null check (status in ('active', 'suspended')),
  settings jsonb not null,
  created_at timestamptz not null,
  -- When its schedule last asked for a settlement, or found nothing to settle.
  scheduled_at timestamptz,
  -- Where the next period begins of which it is sent a report; null until it is to be sent any.
  reported_until timestamptz
);

-- Where a merchant's terms (windows, tolerance, policy, fee) differ from the default ones, per payment method.
create table merchant_terms (
  merchant_id uuid not null references merchants (id),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  terms jsonb not null,
  primary key (merchant_id, method)
);

-- Terms that payments share. Spelled out in each payment they were 376 of its 612 bytes, written with every change of
-- it.
create table locked_terms (
  -- The first half of the SHA-256 of the terms: the same terms are one row, whoever writes them.
  id uuid primary key,
  terms jsonb not null
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

-- When each token was last used, to the minute: by the id of a merchant's token, or the hash of an operator's, which
-- is in the settings. Apart from the tokens, so that a use never waits for a change of one.
create table token_uses (
  token text primary key,
  last_used_at timestamptz not null
);

-- Logos on the payment page. A picture is served under its hash, so that browsers may cache it forever.
create table merchant_logos (
  merchant_id uuid primary key references merchants (id),
  hash text not null check (hash ~ '^[0-9a-f]{32}$'),
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  content text not null,
  width integer,
  height integer,
  constraint merchant_logos_size_whole check ((width is null) = (height is null) and width > 0 and height > 0)
);
create index merchant_logos_hash on merchant_logos (hash);

-- What merchants' programs have lately asked and what they were answered, redacted, for the merchants' engineers.
-- Kept for PAYIN_REQUEST_LOG_DAYS; a row may stand for several requests like it, so that nobody writes more than a
-- few a second.
create table merchant_requests (
  merchant_id uuid not null,
  -- The id of the request, as refusals and the header payin-request-id have it.
  id uuid not null,
  at timestamptz not null,
  operation text not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  duration_ms integer not null check (duration_ms >= 0),
  times integer not null check (times >= 1),
  request_body text,
  answer_body text,
  primary key (merchant_id, id)
);
-- Engineers look for what failed, and most requests do not.
create index merchant_requests_failed on merchant_requests (merchant_id, id) where status >= 400;
-- The oldest are deleted in batches.
create index merchant_requests_at on merchant_requests (at);
