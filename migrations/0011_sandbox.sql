-- What the simulated bank and payer of a sandbox payment will do, and when.
create table simulated_steps (
  merchant_id uuid not null,
  payment_id uuid not null,
  id uuid not null,
  action text not null check (action in ('transfer', 'end-time')),
  amount bigint check (amount > 0),
  due_at timestamptz not null,
  primary key (merchant_id, payment_id, id),
  constraint simulated_steps_amount_of_transfer check ((action = 'transfer') = (amount is not null))
);
create index simulated_steps_due on simulated_steps (due_at);
