-- Notifications that are told: the events of a merchant in one order, endpoints that receive them, and what became of
-- each delivery. payment.new is not among them: the answer to the create has told it.

-- A test belongs to no payment, and goes to one endpoint only.
alter table outbox
  alter column payment_id drop not null,
  alter column sequence drop not null,
  add column endpoint_id uuid,
  -- Place among the merchant's events, from 1 without gaps; given after the commit, because ids and times of
  -- transactions that run at once say nothing about which of them is seen first.
  add column position bigint check (position >= 1);
create index outbox_unplaced on outbox (created_at, sequence, id) where position is null and kind <> 'payment.new';
create unique index outbox_positions on outbox (merchant_id, position) where position is not null;

-- The last place that was given to an event of a merchant.
create table notification_heads (
  merchant_id uuid primary key,
  position bigint not null check (position >= 1)
);

-- Its lock is held while places are given and while endpoints change, so that every event finds one set of endpoints.
create table notification_lock (id integer primary key check (id = 1));
insert into notification_lock (id) values (1);

create table notification_endpoints (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  url text not null check (char_length(url) <= 2048),
  description text not null check (char_length(description) <= 200),
  -- Empty for every kind.
  kinds jsonb not null,
  status text not null check (status in ('enabled', 'disabled', 'removed')),
  disabled_reason text check (disabled_reason in ('merchant', 'operator', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Events behind this place are queued for it; raised when it is enabled anew or hears of other kinds.
  queued_after bigint not null check (queued_after >= 0),
  secret_sealed text not null,
  -- Signs beside the new one until its time is over.
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((previous_secret_sealed is null) = (previous_secret_until is null))
);

-- Who delivers to an endpoint, and how it fares. One process at a time holds a lane, so that limits and order are exact.
create table delivery_lanes (
  merchant_id uuid not null,
  endpoint_id uuid not null,
  -- When there may be something to send; null for nothing.
  wake_at timestamptz,
  leased_by uuid,
  leased_until timestamptz,
  -- Failed attempts in a row, and since when.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  paused_until timestamptz not null default '1970-01-01 00:00:00+00',
  primary key (merchant_id, endpoint_id),
  check ((leased_by is null) = (leased_until is null)),
  check ((failures > 0) = (failing_since is not null))
) with (fillfactor = 70);
create index delivery_lanes_due on delivery_lanes (coalesce(leased_until, wake_at));

create table deliveries (
  merchant_id uuid not null,
  endpoint_id uuid not null,
  position bigint not null,
  payment_id uuid,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Attempts so far, and the step of the plan of retries that comes next.
  attempts integer not null check (attempts >= 0),
  step integer not null check (step >= 0),
  due_at timestamptz not null,
  queued_at timestamptz not null,
  settled_at timestamptz,
  -- What the sandbox plays with it.
  play text check (play in ('twice-out-of-order', 'fails-twice')),
  primary key (merchant_id, endpoint_id, position),
  check ((status = 'pending') = (settled_at is null))
);
create index deliveries_due on deliveries (merchant_id, endpoint_id, due_at, position) where status = 'pending';
create index deliveries_in_order on deliveries (merchant_id, endpoint_id, payment_id, position) where status = 'pending';
create index deliveries_failed on deliveries (merchant_id, endpoint_id, position) where status = 'failed';

create table delivery_attempts (
  merchant_id uuid not null,
  endpoint_id uuid not null,
  position bigint not null,
  attempt integer not null check (attempt >= 1),
  at timestamptz not null,
  -- HTTP status of the answer, or why there was none.
  status integer,
  error text,
  latency_ms integer not null,
  excerpt text not null,
  primary key (merchant_id, endpoint_id, position, attempt),
  check ((status is null) <> (error is null))
);

-- Credits whose acknowledgement is asked for when it is due.
create table ack_reminders (
  merchant_id uuid not null,
  payment_id uuid not null,
  sequence integer not null,
  step integer not null check (step >= 0),
  credited_at timestamptz not null,
  due_at timestamptz not null,
  primary key (merchant_id, payment_id, sequence)
);
create index ack_reminders_due on ack_reminders (due_at);
