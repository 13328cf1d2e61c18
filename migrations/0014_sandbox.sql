-- What simulated banks have yet to do.

-- What the simulated bank and payer of a sandbox payment will do, and when.
create table simulated_steps (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  action text not null check (
    action in (
      'transfer', 'end-time', 'reversal', 'open-dispute', 'accept-dispute', 'reject-dispute', 'fail', 'remind', 'settle',
      'refund', 'fail-refund'
    )
  ),
  amount bigint check (amount > 0),
  due_at timestamptz not null,
  reported_by text not null default 'feed',
  primary key (merchant_id, payment_id, id),
  constraint simulated_steps_amount_of_transfer check (action <> 'transfer' or amount is not null),
  constraint simulated_steps_reported_by check (reported_by in ('feed', 'message', 'statement'))
);
create index simulated_steps_due on simulated_steps (due_at);

-- The books of the simulated bank: what it received for payments and took back, and refunds that left, reported by its
-- feed at once or by its statements alone.
create table simulated_bookings (
  requisite_id uuid not null,
  id uuid not null,
  merchant_id uuid not null,
  payment_id uuid not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  -- A reversal takes back what was received under the same reference.
  kind text not null check (kind in ('receipt', 'reversal', 'refund')),
  -- What a refund was for.
  text text,
  reference text not null,
  booked_at timestamptz not null,
  primary key (requisite_id, id)
);
-- What the bank has of a payment to take back.
create index simulated_bookings_payment on simulated_bookings (merchant_id, payment_id);
-- The bookings of a day.
create index simulated_bookings_day on simulated_bookings (booked_at);
