-- Where settlements of a merchant may be sent: proposed by one operator, approved by another one, and never changed.
create table destinations (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  kind text not null check (kind in ('tron', 'ethereum', 'iban', 'ru-account')),
  -- In the only spelling of its kind.
  address text collate "C" not null,
  label text not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  approved_by text,
  -- When settlements may first be sent there: some time after the approval.
  ready_at timestamptz,
  retired_by text,
  retired_at timestamptz,
  primary key (merchant_id, id),
  constraint destinations_approval_has_time check ((approved_by is null) = (ready_at is null)),
  constraint destinations_end_has_author check ((retired_by is null) = (retired_at is null))
);
-- An address is in use once per merchant.
create unique index destinations_address on destinations (merchant_id, kind, address) where retired_at is null;

-- Null for settlements that were drafted before there were destinations; `destination` is its text at the draft.
alter table settlements add column destination_id uuid;
alter table settlements add constraint settlements_destination
  foreign key (merchant_id, destination_id) references destinations (merchant_id, id) not valid;
