-- What became of the payments that were created in an hour, for the overview: a million payments of a month are too many to
-- look at each time. A job counts each hour two days after it, when nearly all payments have ended; younger hours are
-- counted when somebody asks.
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
  constraint payment_hours_expired check (expired >= 0 and expired <= shown - paid)
);

-- Hours of which a payment has changed more than a day after its creation. What was counted of them does not hold any more,
-- until the job has counted them again.
create table payment_hour_changes (
  id uuid primary key,
  merchant_id uuid not null,
  hour timestamptz not null
);

-- How far the hours of payments are counted.
create table payment_hours_progress (
  one boolean primary key default true check (one),
  -- Every hour from before this time is counted.
  counted_until timestamptz not null
);
insert into payment_hours_progress (counted_until) values ('2000-01-01');
