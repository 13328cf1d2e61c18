-- Rules by which new outgoing transfers are booked. A rule never changes: another one takes its place.
create table outgoing_rules (
  id uuid primary key,
  -- Null: all requisites of the currency.
  requisite_id uuid,
  currency text not null,
  -- The text and the payee that it wants, which may contain numbers of accounts.
  details_sealed text not null,
  min_amount bigint check (min_amount > 0),
  max_amount bigint check (max_amount > 0),
  purpose text not null check (purpose in ('fee', 'other')),
  reason text not null,
  -- On whose word it stands, until another operator approves it.
  added_by text not null,
  added_at timestamptz not null,
  approved_by text,
  -- What it has booked still names it.
  removed_at timestamptz
);
