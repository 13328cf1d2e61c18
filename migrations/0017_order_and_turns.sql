-- The order of a payment's deliveries, by an index that no other one can stand for: while statistics say that few wait, all
-- those that begin with the merchant look as good as each other, and the wrong one reads all that waits for each row.
drop index deliveries_in_order;
create index deliveries_of_payment on deliveries (endpoint_id, payment_id, position) where status = 'pending';

alter table deliveries
  -- Attempts of former plans: it was redelivered after so many.
  add column attempts_before integer not null default 0 check (attempts_before >= 0);

-- An endpoint counts as failing only once it is down: a single failure changes nothing of its turns.
drop index delivery_lanes_working;
drop index delivery_lanes_failing;
create index delivery_lanes_working on delivery_lanes (wake_at) where leased_until is null and failures < 3;
create index delivery_lanes_failing on delivery_lanes (wake_at) where leased_until is null and failures >= 3;
