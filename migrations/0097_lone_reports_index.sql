--! no transaction
-- What one person alone has reported within 24 hours is summed.
create index concurrently transfers_by_lone_reporter on transfers (reported_by, reported_alone_at)
  where reported_by is not null;
