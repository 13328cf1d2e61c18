-- What merchants' programs have lately asked and what they were answered, redacted, for the merchants' engineers. Kept for
-- PAYIN_REQUEST_LOG_DAYS; a row may stand for several requests like it, so that nobody writes more than a few a second.
create table merchant_requests (
  merchant_id uuid not null,
  -- The id of the request, as refusals and the header payin-request-id have it.
  id uuid not null,
  at timestamptz not null,
  operation text not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  duration_ms integer not null check (duration_ms >= 0),
  times integer not null check (times >= 1),
  request_body text,
  answer_body text,
  primary key (merchant_id, id)
);
-- Engineers look for what failed, and most requests do not.
create index merchant_requests_failed on merchant_requests (merchant_id, id) where status >= 400;
-- The oldest are deleted in batches.
create index merchant_requests_at on merchant_requests (at);
