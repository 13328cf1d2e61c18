--! no transaction
-- The inbox is listed by when its transfers were recorded.
create index concurrently suspense_cases_waiting on suspense_cases (transfer_id) where resolved_at is null;
