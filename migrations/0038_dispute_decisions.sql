-- Requests that decided about several disputes, under the operator's own key: sent again, a request gets the same results.
create table dispute_decisions (
  id uuid primary key,
  decided_by text not null,
  idempotency_key text not null,
  body_hash text not null,
  decided_at timestamptz not null,
  constraint dispute_decisions_key_once unique (decided_by, idempotency_key)
);
-- Old ones are forgotten.
create index dispute_decisions_oldest on dispute_decisions (decided_at);

-- The disputes of such a request, each with its result.
create table decided_disputes (
  decision_id uuid not null references dispute_decisions (id),
  number integer not null check (number >= 1),
  merchant_id uuid not null,
  dispute_id uuid not null,
  state text not null check (state in ('done', 'proposed', 'refused')),
  refusal_code text,
  refusal_message text,
  primary key (decision_id, merchant_id, dispute_id),
  constraint decided_disputes_refusal_has_code check ((state = 'refused') = (refusal_code is not null)),
  constraint decided_disputes_refusal_has_message check ((refusal_code is null) = (refusal_message is null))
);
