--! oldest 0080
--! contract: the indexes that go are replaced by those of 0082, under their names

-- The counters of what 0082 has numbered.
insert into event_counters (merchant_id, position)
  select merchants.id, placed.position from merchants cross join lateral (
    select position from outbox where outbox.merchant_id = merchants.id and outbox.position is not null
    order by position desc limit 1) as placed
  on conflict (merchant_id) do update set position = greatest(event_counters.position, excluded.position);

alter table outbox add constraint outbox_has_position check (position is not null) not valid;

drop index outbox_positions;
alter index outbox_positions_next rename to outbox_positions;
drop index outbox_of_payment;
alter index outbox_of_payment_next rename to outbox_of_payment;
