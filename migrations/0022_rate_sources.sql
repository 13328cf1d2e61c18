-- Sources of rates, what was fetched from them, and the operator's own rates that last until a time.

-- Where the rates of a currency come from, in the order of their rank.
create table rate_sources (
  id uuid primary key,
  currency text not null check (currency ~ '^[a-z]{3}$'),
  name text not null check (char_length(name) between 1 and 100),
  kind text not null check (kind in ('json', 'fixed')),
  rank integer not null check (rank between 1 and 100),
  url text,
  pointer text,
  fixed_price bigint check (fixed_price > 0),
  spread_ppm integer not null check (spread_ppm between -500000 and 500000),
  max_step_ppm integer not null check (max_step_ppm between 1 and 200000),
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
  constraint rate_sources_by_kind check (
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
