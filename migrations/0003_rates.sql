-- Rates, the sources that they are fetched from, and the operator's own rates that last until a time.

-- Prices of one USDT in fiat, scaled by 10^8. The newest valid one counts.
create table rates (
  currency text not null check (currency ~ '^[a-z]{3}$'),
  quote text not null check (quote = 'USDT'),
  created_at timestamptz not null,
  price bigint not null check (price > 0),
  source text not null,
  valid_until timestamptz,
  primary key (currency, quote, created_at)
);

-- Where the rates of a currency come from, in the order of their rank.
create table rate_sources (
  id uuid primary key,
  currency text not null check (currency ~ '^[a-z]{3}$'),
  name text not null check (char_length(name) >= 1 and char_length(name) <= 100),
  kind text not null check (kind in ('json', 'fixed')),
  rank integer not null check (rank >= 1 and rank <= 100),
  url text,
  pointer text,
  fixed_price bigint check (fixed_price > 0),
  spread_ppm integer not null check (spread_ppm >= -500000 and spread_ppm <= 500000),
  max_step_ppm integer not null check (max_step_ppm >= 1 and max_step_ppm <= 200000),
  every_ms integer not null check (every_ms > 0),
  max_age_ms integer not null check (max_age_ms > 0),
  enabled boolean not null,
  -- The last price that may be used, with its spread.
  price bigint check (price > 0),
  priced_at timestamptz,
  -- A price that waits for an operator, because it is too far from the last rate.
  held_price bigint check (held_price > 0),
  held_since timestamptz,
  failing_since timestamptz,
  last_error text,
  -- Whoever moves it on fetches.
  next_fetch_at timestamptz not null,
  created_at timestamptz not null,
  removed_at timestamptz,
  -- A source may move its price by its step at each fetch. How far it may go within a day is bounded, too.
  max_day_ppm integer not null default 100000,
  -- When an operator added the source, accepted a price of it or set the rate of its currency: the day is measured
  -- from there.
  decided_at timestamptz,
  constraint rate_sources_by_kind
    check (
      (kind = 'json') = (url is not null and pointer is not null and fixed_price is null)
      and (kind = 'fixed') = (fixed_price is not null)
    ),
  constraint rate_sources_priced_whole check ((price is null) = (priced_at is null)),
  constraint rate_sources_held_whole check ((held_price is null) = (held_since is null))
);
create unique index rate_sources_name_once on rate_sources (currency, name) where removed_at is null;

-- What was fetched, and what became of it.
create table rate_fetches (
  id uuid primary key,
  source_id uuid not null references rate_sources (id),
  at timestamptz not null,
  outcome text not null check (outcome in ('accepted', 'held', 'failed', 'refused')),
  -- With its spread; null where none was found.
  price bigint,
  error text,
  -- The operator who decided about a price that was held.
  decided_by text
);
create index rate_fetches_of_source on rate_fetches (source_id, id);

-- The operator's own rate of a currency until a time, whatever the sources say.
create table rate_overrides (
  currency text primary key,
  price bigint not null check (price > 0),
  ends_at timestamptz not null,
  reason text not null,
  set_by text not null,
  set_at timestamptz not null
);

-- A price outside the band that one operator proposes for a currency, until another operator sets the same, and when
-- two have last agreed on one: the moves of a day are measured from that, and by its price the bounds of one person.
create table rate_proposals (
  currency text primary key,
  price bigint check (price > 0),
  proposed_by text,
  proposed_at timestamptz,
  agreed_at timestamptz,
  -- 0 if one person alone has set the first price of the currency where two move money: no bound is measured by that.
  agreed_price bigint check (agreed_price >= 0),
  -- What would set the price that waits: `override`, `override-end`, the source of rates that reports it, or the source
  -- that an operator names; and when it would end.
  source text,
  ends_at timestamptz
);
