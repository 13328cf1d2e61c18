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
  max_uses integer check (max_uses between 1 and 10000),
  ends_at timestamptz,
  return_url text,
  metadata jsonb,
  created_by text not null,
  created_at timestamptz not null,
  closed_at timestamptz,
  constraint payment_links_fixed_or_open check (amount is null or (min_amount is null and max_amount is null)),
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
