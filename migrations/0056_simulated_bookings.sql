-- The books of the simulated bank: what it received for payments and took back, reported by its feed at once or by its
-- statements alone.
create table simulated_bookings (
  requisite_id uuid not null,
  id uuid not null,
  merchant_id uuid not null,
  payment_id uuid not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  -- Whether the bank takes back what it received under the same reference.
  is_reversal boolean not null,
  reference text not null,
  booked_at timestamptz not null,
  primary key (requisite_id, id)
);
-- What the bank has of a payment to take back.
create index simulated_bookings_payment on simulated_bookings (merchant_id, payment_id);
-- The bookings of a day.
create index simulated_bookings_day on simulated_bookings (booked_at);

alter table simulated_steps add column reported_by text not null default 'feed';
alter table simulated_steps add constraint simulated_steps_reported_by
  check (reported_by in ('feed', 'statement')) not valid;
