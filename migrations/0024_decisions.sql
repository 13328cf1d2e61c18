-- What operators decided about transfers: a request is one decision, however many transfers it names.

create table decisions (
  id uuid primary key,
  decided_by text not null,
  -- The operator's own key of the request: sent again, it gets the same results.
  idempotency_key text,
  body_hash text,
  decided_at timestamptz not null,
  constraint decisions_key_once unique (decided_by, idempotency_key)
);
-- The decisions of the last day are listed and taken back.
create index decisions_newest on decisions (decided_at);

-- The transfers of a decision, each with its result: done, or refused with a code.
create table decided_transfers (
  decision_id uuid not null references decisions (id),
  number integer not null check (number >= 1),
  requisite_id uuid not null,
  transfer_id uuid not null,
  word text not null,
  refusal_code text,
  refusal_message text,
  -- Of what was done: how many parts of the transfer it kept, and the number of the last one then. A later one means that
  -- something was decided since.
  kept_parts integer,
  last_part integer,
  revoked_at timestamptz,
  revoked_by text,
  primary key (decision_id, requisite_id, transfer_id),
  constraint decided_transfers_refusal_whole check ((refusal_code is null) = (refusal_message is null)),
  constraint decided_transfers_done_whole
    check ((refusal_code is null) = (kept_parts is not null) and (kept_parts is null) = (last_part is null)),
  constraint decided_transfers_revoked_whole check ((revoked_at is null) = (revoked_by is null)),
  constraint decided_transfers_revoked_was_done check (revoked_at is null or refusal_code is null)
);
