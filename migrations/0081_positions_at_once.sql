--! oldest 0080
--! contract: versions up to 0079 write notifications without a position, and lock all merchants to give them one

-- Until here, whatever had a position was queued.
insert into queued_notifications (merchant_id, position) select merchant_id, position from event_counters;
drop table notification_lock;
