-- Reminders are planned when the first one is due, of credits that are not acknowledged by then: nearly all are, and a
-- row that is written for each and deleted soon after cost 0.17 kB of the database and 0.5 kB of its log.

-- The last notification of each merchant of which it was looked whether its credit needs a reminder.
create table planned_reminders (
  merchant_id uuid primary key,
  position bigint not null check (position >= 1)
);
-- The earlier ones have their reminders.
insert into planned_reminders (merchant_id, position) select merchant_id, position from event_counters;
