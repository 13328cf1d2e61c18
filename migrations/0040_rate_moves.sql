-- A source may move its price by its step at each fetch. How far it may go within a day is bounded, too.
alter table rate_sources add column max_day_ppm integer not null default 100000;
-- When an operator added the source, accepted a price of it or set the rate of its currency: the day is measured from there.
alter table rate_sources add column decided_at timestamptz;
