-- Notifications to merchants: their events in one order, the endpoints that receive them, and every delivery.

-- Events, fixed in the transaction of the change that they report. A create writes none: its answer has reported the
-- payment.
create table outbox (
  merchant_id uuid not null,
  id uuid not null,
  -- The event is about a payment or a settlement; a test is about neither.
  payment_id uuid,
  document_id uuid,
  sequence integer,
  kind text not null,
  body text not null,
  -- The only endpoint that receives a test.
  endpoint_id uuid,
  -- The number of the event among those of its merchant, from 1 without gaps, in the order of commits: the counter is
  -- locked until the commit.
  position bigint not null check (position >= 1),
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index outbox_positions on outbox (merchant_id, position);
-- The events of one payment, for people who look for its calls. Without the merchant, so that the planner cannot take
-- it for another order of events.
create index outbox_of_payment on outbox (payment_id, position) where payment_id is not null;

-- The last position that was given to an event of a merchant.
create table event_counters (
  merchant_id uuid primary key,
  position bigint not null check (position >= 1)
) with (fillfactor = 50);

-- The last notification of each merchant that is queued for its endpoints. Locked while its notifications are queued
-- and while its endpoints change: every notification meets one set of endpoints.
create table queued_notifications (
  merchant_id uuid primary key,
  position bigint not null check (position >= 0)
);

create table notification_endpoints (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  url text not null check (char_length(url) <= 2048),
  description text not null check (char_length(description) <= 200),
  -- The kinds of events that it receives; empty for every kind.
  kinds jsonb not null,
  status text not null check (status in ('enabled', 'disabled', 'removed')),
  disabled_reason text check (disabled_reason in ('merchant', 'operator', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Events after this position are queued for it; raised when it is enabled again or receives other kinds.
  queued_after bigint not null check (queued_after >= 0),
  secret_sealed text not null,
  -- Signs next to the new secret until its time is over.
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  -- A listener is an endpoint without an address: a program of its merchant, such as payin listen, takes its deliveries
  -- until this time, which each call moves on. No process sends to it.
  listening_until timestamptz,
  primary key (merchant_id, id),
  constraint notification_endpoints_disabled_has_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint notification_endpoints_disabled_has_time check ((status = 'disabled') = (disabled_at is not null)),
  constraint notification_endpoints_previous_secret_whole
    check ((previous_secret_sealed is null) = (previous_secret_until is null))
);

-- Who delivers to an endpoint, and how well it answers. One process at a time leases a lane, so that limits and order
-- are exact.
create table delivery_lanes (
  merchant_id uuid not null,
  endpoint_id uuid not null,
  -- When there may be something to send; null for nothing.
  wake_at timestamptz,
  leased_by uuid,
  leased_until timestamptz,
  -- Failed attempts in a row, and since when. An answer that concerns one event only does not count.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  -- When an attempt last failed: after a longer gap than any plan has, the next failure begins another time of failing.
  last_failed_at timestamptz,
  paused_until timestamptz not null default '1970-01-01 00:00:00+00',
  -- Failures since then are still to be brought forward, because the endpoint works again.
  forward_since timestamptz,
  -- When somebody sent a test or redelivered an event: the next look ignores the pause and takes the newest first.
  asked_at timestamptz,
  primary key (merchant_id, endpoint_id),
  constraint delivery_lanes_leased_whole check ((leased_by is null) = (leased_until is null)),
  constraint delivery_lanes_failing check (failures = 0 or failing_since is not null)
) with (fillfactor = 70);
-- Working lanes are found without passing those that fail. An endpoint counts as failing once it is down (three
-- failures): a single failure does not change its turn.
create index delivery_lanes_working on delivery_lanes (wake_at) where leased_until is null and failures < 3;
create index delivery_lanes_failing on delivery_lanes (wake_at) where leased_until is null and failures >= 3;
-- Leases end by the clock of the database, wake_at counts by that of the service: two clocks, two indexes.
create index delivery_lanes_leased on delivery_lanes (leased_until) where leased_until is not null;

-- The queue: an event for an endpoint.
create table deliveries (
  merchant_id uuid not null,
  endpoint_id uuid not null,
  position bigint not null,
  payment_id uuid,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null check (attempts >= 0),
  -- Attempts before the last redelivery, which started the plan of retries from the beginning.
  attempts_before integer not null default 0 check (attempts_before >= 0),
  -- The next step of the plan of retries.
  step integer not null check (step >= 0),
  due_at timestamptz not null,
  -- When the plan had it due before it was brought forward; an attempt before that uses no step.
  planned_at timestamptz,
  -- It is not brought forward to before this: the receiver asked for the wait, or it was tried early often enough.
  not_before timestamptz,
  -- When an attempt last failed at the endpoint; null where the failure was only simulated.
  failed_at timestamptz,
  queued_at timestamptz not null,
  finished_at timestamptz,
  -- What the sandbox simulates with it.
  play text check (play in ('twice-out-of-order', 'fails-twice')),
  primary key (merchant_id, endpoint_id, position),
  constraint deliveries_finished check ((status = 'pending') = (finished_at is null))
);
create index deliveries_due on deliveries (merchant_id, endpoint_id, due_at, position) where status = 'pending';
create index deliveries_failed on deliveries (merchant_id, endpoint_id, position) where status = 'failed';
-- What has been kept long enough, whoever it was sent to.
create index deliveries_finished on deliveries (finished_at) where finished_at is not null;

-- The log of calls.
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
  constraint delivery_attempts_status_or_error check ((status is null) <> (error is null))
);
