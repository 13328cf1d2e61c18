--! oldest 0080
--! contract: nothing looks for notifications without a position, or for those of a merchant by their time
--! no transaction

-- Early versions stored `payment.new`, which is not delivered.
delete from outbox where ctid in (
  select ctid from outbox where position is null and kind = 'payment.new' limit 10000);

-- What was not numbered before the upgrade: the oldest first, none before one of its payment with a lower sequence.
update outbox set position = numbered.position from (
  select fresh.row, greatest(counters.position, placed.position, 0) + row_number() over (
      partition by fresh.merchant_id order by fresh.at, fresh.sequence, fresh.created_at, fresh.id) as position
  from (
    select ctid as row, merchant_id, id, created_at, sequence, case when payment_id is null then created_at
        else max(created_at) over (partition by merchant_id, payment_id order by sequence, created_at, id) end as at
    from (select ctid, * from outbox where position is null and kind <> 'payment.new'
      order by created_at, sequence, id limit 10000) as oldest
  ) as fresh
  left join event_counters as counters on counters.merchant_id = fresh.merchant_id
  left join lateral (select position from outbox where outbox.merchant_id = fresh.merchant_id
    and outbox.position is not null order by position desc limit 1) as placed on true
) as numbered where outbox.ctid = numbered.row;

-- As those of 0009, without the condition that there is a position.
create unique index concurrently outbox_positions_next on outbox (merchant_id, position);
create index concurrently outbox_of_payment_next on outbox (payment_id, position) where payment_id is not null;
drop index concurrently if exists outbox_unplaced;
drop index concurrently if exists outbox_times;
