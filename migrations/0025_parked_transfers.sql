-- Transfers in the inbox that operators have put aside for later, and their notes.

-- Who parked the transfer of an open case, when and why.
alter table suspense_cases add column parked_at timestamptz;
alter table suspense_cases add column parked_by text;
alter table suspense_cases add column parked_because text;

-- What operators wrote about a transfer.
create table transfer_notes (
  requisite_id uuid not null,
  transfer_id uuid not null,
  id uuid not null,
  text text not null,
  written_by text not null,
  written_at timestamptz not null,
  primary key (requisite_id, transfer_id, id),
  foreign key (requisite_id, transfer_id) references transfers (requisite_id, id)
);
