-- How an endpoint that is down is tried: also by what is new, and at once when somebody asks.
alter table delivery_lanes
  -- When an attempt last failed: after a longer gap than any plan has, the next failure begins another time of failing.
  add column last_failed_at timestamptz,
  -- When somebody sent a test or one event again: the next look passes over the pause and takes the newest first.
  add column asked_at timestamptz,
  -- What an endpoint says of one event only is no failure in a row.
  drop constraint delivery_lanes_check1,
  add constraint delivery_lanes_failing_check check (failures = 0 or failing_since is not null);
