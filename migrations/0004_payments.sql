-- Payments and their history.

-- There is no foreign key to merchants or requisites: checked row by row, it took a third of the insert of a set of
-- payments (0.99 of 3 ms for 27). Both were read in the same transaction or are in memory, and neither is ever deleted.
-- There is no fillfactor either: a change of status moves index entries anyway, so room in the pages would buy nothing.
create table payments (
  merchant_id uuid not null,
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
  -- The rate that was locked at the creation, and the amount at that rate.
  rate_price bigint not null check (rate_price > 0),
  rate_created_at timestamptz not null,
  total bigint not null check (total >= 0),
  status text not null check (
    status in ('new', 'processing', 'paid', 'disput', 'disput-paid', 'expired', 'canceled', 'failed')
  ),
  status_reason text not null,
  -- The number of the latest event.
  sequence integer not null check (sequence >= 1),
  received bigint not null check (received >= 0),
  final_amount bigint check (final_amount > 0),
  requisite_id uuid not null,
  requisite_shown boolean not null,
  -- The requisite, if the payment was created as its only open one.
  sole_requisite_id uuid,
  -- The requisite that the payer saw before choosing another method; money that arrives there still counts.
  switched_from uuid,
  source_pan text not null,
  payer_phone_sealed text,
  payer_phone_index text,
  payer_bank text,
  -- The terms that applied at the creation.
  terms jsonb not null,
  created_at timestamptz not null,
  expired_at timestamptz not null,
  -- When the payer said "I have paid".
  claimed_at timestamptz,
  -- When the payer last uploaded a receipt.
  receipt_at timestamptz,
  -- When the payer of a closed payment claimed to have paid it.
  claim_received_at timestamptz,
  -- When a job has to look at it next.
  due_at timestamptz,
  changed_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_sequence integer,
  primary key (merchant_id, id),
  constraint payments_order_once unique (merchant_id, order_id),
  constraint payments_final_amount_of_disput_paid check ((status = 'disput-paid') = (final_amount is not null)),
  constraint payments_acknowledged_whole check ((acknowledged_at is null) = (acknowledged_sequence is null)),
  constraint payments_scope_of_by_phone check ((method = 'by-phone') = (transfer_scope is not null)),
  constraint payments_closed_without_money
    check (status not in ('new', 'expired', 'canceled', 'failed') or received = 0)
);
create index payments_due on payments (due_at) where due_at is not null;
-- Which requisites have open payments.
create index payments_open on payments (requisite_id, created_at) where status in ('new', 'processing');
-- Two nodes that both believe that a requisite is free do not both give it out.
create unique index payments_sole on payments (sole_requisite_id)
  where sole_requisite_id is not null and status in ('new', 'processing');
-- In the order in which merchants list them. Nearly all credits are acknowledged: found by the time of their change, the
-- few others cost a read of the merchant's whole history (1.6 s for 3 million payments).
create index payments_unacknowledged on payments (merchant_id, id)
  where status in ('paid', 'disput-paid') and acknowledged_at is null;
-- Few, and listed by people: without the index a list of them reads a merchant's whole history.
create index payments_in_dispute on payments (merchant_id, id) where status = 'disput';
-- Payments that wait for the rest of their money: few, and looked up with every transfer to their requisite.
create index payments_partly_received on payments (requisite_id) where status = 'processing' and received > 0;
-- The same for money that arrives at the requisite which the payer saw first.
create index payments_partly_received_before on payments (switched_from) where status = 'processing' and received > 0;

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

-- Which states of a payment the merchant has acknowledged.
create table payment_acknowledgements (
  merchant_id uuid not null,
  payment_id uuid not null,
  sequence integer not null,
  acknowledged_at timestamptz not null,
  primary key (merchant_id, payment_id, sequence)
);
