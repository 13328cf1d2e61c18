-- Retries that an outage of their endpoint does not use up, and lanes that are found without passing those that fail.

alter table deliveries
  -- When an attempt last failed at the endpoint; null where the failure was only played.
  add column failed_at timestamptz,
  -- Before this it is not brought forward: the receiver has asked for the wait, or it was tried early often enough.
  add column not_before timestamptz,
  -- Of one that is brought forward, when its plan had it due; an attempt before that uses no step.
  add column planned_at timestamptz;

alter table delivery_lanes
  -- What has failed since then is still to be brought forward, because the endpoint works again.
  add column forward_since timestamptz;

-- Leases end by the clock of the database, what is due is so by that of the service.
drop index delivery_lanes_due;
create index delivery_lanes_working on delivery_lanes (wake_at) where leased_until is null and failures = 0;
create index delivery_lanes_failing on delivery_lanes (wake_at) where leased_until is null and failures > 0;
create index delivery_lanes_leased on delivery_lanes (leased_until) where leased_until is not null;
