create table payments (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  order_id text collate "C" not null,
  type text not null check (type in ('direct', 'staged')),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  sbp_enabled boolean not null,
  bank_issuer text,
  transfer_scope text check (transfer_scope = 'international'),
  user_id text not null,
  user_id_given boolean not null,
  return_url text,
  locale text,
  currency text not null,
  amount bigint not null check (amount > 0),
  rate_price bigint not null check (rate_price > 0),
  rate_created_at timestamptz not null,
  total bigint not null check (total >= 0),
  status text not null check (
    status in ('new', 'processing', 'paid', 'disput', 'disput-paid', 'expired', 'canceled', 'failed')
  ),
  status_reason text not null,
  sequence integer not null check (sequence >= 1),
  received bigint not null check (received >= 0),
  final_amount bigint check (final_amount > 0),
  requisite_id uuid not null,
  requisite_shown boolean not null,
  source_pan text not null,
  payer_phone_sealed text,
  payer_phone_index text,
  payer_bank text,
  terms jsonb not null,
  created_at timestamptz not null,
  expired_at timestamptz not null,
  claimed_at timestamptz,
  due_at timestamptz,
  changed_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_sequence integer,
  primary key (merchant_id, id),
  unique (merchant_id, order_id),
  check ((status = 'disput-paid') = (final_amount is not null)),
  check ((acknowledged_at is null) = (acknowledged_sequence is null)),
  check ((method = 'by-phone') = (transfer_scope is not null)),
  check (status not in ('new', 'expired', 'canceled', 'failed') or received = 0)
) with (fillfactor = 80);
create index payments_due on payments (due_at) where due_at is not null;
create index payments_unacknowledged on payments (merchant_id, changed_at)
  where status in ('paid', 'disput-paid') and acknowledged_at is null;

-- Every change of a payment's status, numbered without gaps from its creation.
create table payment_events (
  merchant_id uuid not null,
  payment_id uuid not null,
  sequence integer not null check (sequence >= 1),
  status text not null,
  status_reason text not null,
  trigger text not null,
  actor text not null,
  at timestamptz not null,
  primary key (merchant_id, payment_id, sequence)
);

-- What is to be told, frozen in the transaction of the change.
create table outbox (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  sequence integer not null,
  kind text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

create table payment_acknowledgements (
  merchant_id uuid not null,
  payment_id uuid not null,
  sequence integer not null,
  acknowledged_at timestamptz not null,
  primary key (merchant_id, payment_id, sequence)
);
