-- A listener is an endpoint without an address: a program of its merchant, such as payin listen, takes its deliveries
-- until this time, which each call moves on. No process sends to it.
alter table notification_endpoints add column listening_until timestamptz;
