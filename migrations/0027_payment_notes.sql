-- What operators wrote about a payment.
create table payment_notes (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  text text not null,
  written_by text not null,
  written_at timestamptz not null,
  primary key (merchant_id, payment_id, id),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id)
);
