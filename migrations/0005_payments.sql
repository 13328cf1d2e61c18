-- Payments and their history, the links that lead to them, and their counts.

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
  -- The currency in which the merchant is credited, the rate that was locked at the creation, and the amount at it.
  quote_currency text not null default 'USDT' check (quote_currency ~ '^([a-z]{3}|USDT)$'),
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
  terms jsonb,
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
  -- How often the payer has corrected its phone and bank: a page is open to whoever has its link, so there is a limit.
  payer_changes integer not null default 0,
  -- Texts that a merchant notes with a payment for itself, by name. Nullable: what a payment does not have takes no
  -- room.
  metadata jsonb,
  -- The link by which a payment was started. Nullable: what a payment does not have takes no room.
  link_id uuid,
  terms_id uuid,
  -- Whether it holds its slot next to another payment.
  shares_slot boolean not null default false,
  -- The name from which the payer says it pays, as its bank shows it: collected where payments share an amount.
  payer_name_sealed text,
  -- A credit is worth the payment's rate up to `locked_part`, and `later_price` beyond it: what exceeds the amount or
  -- came late. Both are null if all of it is worth the payment's rate.
  locked_part bigint,
  later_price bigint,
  -- When the next reminder of a credit that is not acknowledged is due, and how many were due before.
  remind_at timestamptz,
  reminders smallint,
  primary key (merchant_id, id),
  constraint payments_order_once unique (merchant_id, order_id),
  constraint payments_final_amount_of_disput_paid check ((status = 'disput-paid') = (final_amount is not null)),
  constraint payments_acknowledged_whole check ((acknowledged_at is null) = (acknowledged_sequence is null)),
  constraint payments_scope_of_by_phone check ((method = 'by-phone') = (transfer_scope is not null)),
  constraint payments_closed_without_money
    check ((status not in ('new', 'expired', 'canceled', 'failed')) or received = 0),
  constraint payments_amounts_in_bounds
    check (greatest(amount, total, received, final_amount) <= 999999999999999),
  constraint payments_risk_shows_nothing
    check (status <> 'failed' or status_reason <> 'risk' or not requisite_shown),
  constraint payments_terms_known check (terms_id is not null or terms is not null),
  constraint payments_later_price_is_worse
    check (
      (locked_part is null) = (later_price is null)
      and (later_price is null or locked_part >= 0 and later_price > rate_price)
    )
);
create index payments_due on payments (due_at) where due_at is not null;
create index payments_to_remind on payments (remind_at) where remind_at is not null;
-- Which requisites have open payments.
create index payments_open on payments (requisite_id, created_at) where status in ('new', 'processing');
-- Two nodes that both believe that a requisite is free do not both give it out.
create unique index payments_sole on payments (sole_requisite_id)
  where sole_requisite_id is not null and (status in ('new', 'processing'));
-- In the order in which merchants list them. Nearly all credits are acknowledged: found by the time of their change,
-- the few others cost a read of the merchant's whole history (1.6 s for 3 million payments).
create index payments_unacknowledged on payments (merchant_id, id)
  where (status in ('paid', 'disput-paid')) and acknowledged_at is null;
-- Few, and listed by people: without the index a list of them reads a merchant's whole history.
create index payments_in_dispute on payments (merchant_id, id) where status = 'disput';
-- Payments that wait for the rest of their money: few, and looked up with every transfer to their requisite.
create index payments_partly_received on payments (requisite_id) where status = 'processing' and received > 0;
-- The same for money that arrives at the requisite which the payer saw first.
create index payments_partly_received_before on payments (switched_from) where status = 'processing' and received > 0;
-- A phone that its payer gave on the page. Few payments have one, and no create writes it.
create index payments_payer_phone on payments (payer_phone_index, id) where payer_phone_index is not null;
create index payments_payer_digits on payments ("right"(source_pan, 4), id) where source_pan <> '';
create index payments_by_amount on payments (merchant_id, currency, amount, id);
create index payments_of_link on payments (merchant_id, link_id, id) where link_id is not null;
create index payments_of_link_by_status on payments (link_id, status) where link_id is not null;
create index payments_of_user on payments (merchant_id, user_id, id) where user_id_given;

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
create index payment_acknowledgements_time on payment_acknowledgements using brin (acknowledged_at)
  with (pages_per_range = 16);

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

-- Links by which payers start payments to a merchant, without a server of the merchant's own.
create table payment_links (
  id uuid primary key,
  merchant_id uuid not null,
  title text not null,
  description text,
  currency text not null,
  -- Null where the payer chooses.
  method text check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  -- A fixed amount; without one the payer enters an amount within the bounds, where there are any.
  amount bigint check (amount > 0),
  min_amount bigint check (min_amount > 0),
  max_amount bigint check (max_amount > 0),
  -- How many of its payments may be paid; null for any number.
  max_uses integer check (max_uses >= 1 and max_uses <= 10000),
  ends_at timestamptz,
  return_url text,
  metadata jsonb,
  created_by text not null,
  created_at timestamptz not null,
  closed_at timestamptz,
  constraint payment_links_fixed_or_open check (amount is null or min_amount is null and max_amount is null),
  constraint payment_links_bounds_in_order check (min_amount <= max_amount)
);
-- A merchant's own links are listed, the newest first.
create index payment_links_of_merchant on payment_links (merchant_id, id);

-- The payments that were started by links. A use is written before its payment, which its order leads to, and holds its
-- seat while the payment may still be paid; it is released when another one takes the seat.
create table payment_link_uses (
  link_id uuid not null,
  merchant_id uuid not null,
  order_id text collate "C" not null,
  amount bigint not null check (amount > 0),
  method text not null check (method in ('card-to-card', 'sbp', 'account-to-account', 'by-phone')),
  -- Which of the link's uses it is, from 1; null where their number is not limited.
  seat integer check (seat >= 1),
  -- A keyed hash of what the form of one visit carried, so that sending it twice starts one payment.
  visit text not null,
  -- A keyed hash of the payer's address, by which unpaid payments are counted; removed after a day.
  address_index text,
  started_at timestamptz not null,
  -- Null until the payment is there.
  payment_id uuid,
  released_at timestamptz,
  primary key (link_id, order_id)
);
-- Two payers who both find a seat free do not both take it.
create unique index payment_link_uses_seat on payment_link_uses (link_id, seat)
  where seat is not null and released_at is null;
-- The same form sent twice at once.
create unique index payment_link_uses_visit on payment_link_uses (link_id, visit) where released_at is null;
-- How many unpaid payments an address has started lately; which hashes have to be removed.
create index payment_link_uses_address on payment_link_uses (address_index, started_at) where address_index is not null;
create index payment_link_uses_forgotten on payment_link_uses (started_at) where address_index is not null;
-- Uses whose payment is being created.
create index payment_link_uses_in_flight on payment_link_uses (link_id) where payment_id is null;

-- What became of the payments that were created in an hour, for the overview: a million payments of a month are too
-- many to look at each time. A job counts each hour two days after it, when nearly all payments have ended; younger
-- hours are counted when somebody asks.
create table payment_hours (
  merchant_id uuid not null,
  hour timestamptz not null,
  method text not null,
  currency text not null,
  -- The bank of the requisite.
  bank text not null,
  created bigint not null check (created >= 1),
  -- Of these: their payers saw where to pay; claimed or had money come; are credited; expired after they were shown.
  shown bigint not null,
  claimed bigint not null,
  paid bigint not null,
  expired bigint not null,
  -- The money of the credited ones, in minor units.
  credited bigint not null,
  primary key (merchant_id, hour, method, currency, bank),
  constraint payment_hours_steps check (created >= shown and shown >= claimed and claimed >= paid and paid >= 0),
  constraint payment_hours_expired check (expired >= 0 and expired <= (shown - paid))
);

-- Hours of which a payment has changed more than a day after its creation. What was counted of them does not hold any
-- more, until the job has counted them again.
create table payment_hour_changes (
  id uuid primary key,
  merchant_id uuid not null,
  hour timestamptz not null
);

-- How far the hours of payments are counted.
create table payment_hours_progress (
  one boolean not null default true primary key check (one),
  -- Every hour from before this time is counted.
  counted_until timestamptz not null
);
insert into payment_hours_progress (counted_until) values ('2000-01-01');
