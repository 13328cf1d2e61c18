-- The same money may be told by several channels that have no reference in common. What a person has not told apart waits
-- in the inbox beside the transfer that it may be.

alter table transfers
  -- Who told of it, and how: a feed, an operator, a kind of file. None where it meets no other channel.
  add column channel text,
  -- Which numbers its reference is of: two different ones of one kind are two transfers.
  add column reference_kind text,
  -- The transfer of another channel that it may be; what was decided about it stands in its parts.
  add column repeat_of uuid;
create index transfers_repeat_of on transfers (requisite_id, repeat_of) where repeat_of is not null;

-- Channels that told of a transfer under the reference of another one.
create table transfer_tellings (
  requisite_id uuid not null,
  transfer_id uuid not null,
  channel text not null,
  primary key (requisite_id, transfer_id, channel),
  foreign key (requisite_id, transfer_id) references transfers (requisite_id, id)
);

alter table statement_rows
  add column channel text,
  add column reference_kind text,
  add column repeat_of uuid,
  -- Nothing but an operator's choice says which requisite it is for.
  add column chosen boolean not null default false,
  -- The booking that the row is a part of, or is, and its whole amount: files tell it as a sum or in parts.
  add column entry_reference text,
  add column entry_amount bigint;
create index statement_rows_entry on statement_rows (requisite_id, entry_reference) where entry_reference is not null;
-- What was recorded for a requisite by nothing but a choice must not count for another one.
create index statement_rows_chosen on statement_rows (dedupe_key) where chosen;
create index statement_rows_repeat_of on statement_rows (statement_id, repeat_of) where repeat_of is not null;

-- Money that is another transfer's is in no account.
alter table transfer_allocations
  drop constraint transfer_allocations_kind_check,
  drop constraint transfer_allocations_place_check,
  add constraint transfer_allocations_kind_check
    check (kind in ('payment', 'overpayment', 'suspense', 'ignored', 'returned', 'repeated')),
  add constraint transfer_allocations_place_check
    check (kind = 'returned' or (kind in ('suspense', 'ignored', 'repeated')) = (payment_id is null));

-- What came in the last days may be told again by another channel; of older ones nothing is asked.
update transfers
  set channel = case when source like 'statement:%' then 'file' else source end
  where recorded_at > now() - interval '4 days' and source <> 'sandbox';
