-- A notification gets its position in the transaction that writes it. What is left to do afterwards is to queue it for
-- the endpoints of its merchant.

-- The last notification of each merchant that is queued for its endpoints. Locked while its notifications are queued and
-- while its endpoints change: every notification meets one set of endpoints.
create table queued_notifications (
  merchant_id uuid primary key,
  position bigint not null check (position >= 0)
);

-- Each change of payments counts here: a new version of the row stays on its page.
alter table event_counters set (fillfactor = 50);
