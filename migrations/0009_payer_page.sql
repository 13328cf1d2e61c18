-- What the payer's page shows beside the payment, and what payers send through it.

-- The data of a payment QR code (GOST R 56042), and the operator's words and links for customers of the bank.
alter table bank_issuers
  add column bic text check (bic ~ '^[0-9]{9}$'),
  add column correspondent_account text check (correspondent_account ~ '^[0-9]{20}$'),
  add column guide jsonb not null default '{"links": {}, "steps": {}}';

-- A picture is served by its hash, so that browsers may keep it for ever.
create table merchant_logos (
  merchant_id uuid primary key references merchants (id),
  hash text not null check (hash ~ '^[0-9a-f]{32}$'),
  content_type text not null check (content_type in ('image/png', 'image/jpeg')),
  content text not null
);
create index merchant_logos_hash on merchant_logos (hash);

alter table payments
  -- The requisite that the payer saw before it chose another method; money there still counts.
  add column switched_from uuid,
  -- When the payer last uploaded a receipt.
  add column receipt_at timestamptz,
  -- When the payer of a closed payment claimed to have paid it.
  add column claim_received_at timestamptz;

-- "I already paid": what the payer of a closed payment says, one claim each.
create table payer_claims (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  amount bigint not null check (amount > 0),
  paid_at timestamptz not null,
  received_at timestamptz not null,
  primary key (merchant_id, payment_id),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id)
);
create index payer_claims_id on payer_claims (id);

-- Files that payers upload as a proof; sealed, because a receipt names its payer.
create table payer_receipts (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  -- Keyed fingerprint of the content: the same file twice is one receipt.
  content_index text not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'application/pdf')),
  size integer not null check (size > 0),
  content_sealed text not null,
  received_at timestamptz not null,
  primary key (merchant_id, payment_id, id),
  unique (merchant_id, payment_id, content_index),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id)
);

-- As payments_partly_received, for money that comes to the requisite which the payer saw first.
create index payments_partly_received_before on payments (switched_from) where status = 'processing' and received > 0;
