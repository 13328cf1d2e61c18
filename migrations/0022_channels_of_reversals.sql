-- A bank takes one transfer back once, however many channels tell of it.
alter table transfer_reversals
  -- Who told of it, and how, as of a transfer; none where an operator alone has told of it.
  add column channel text,
  -- Which numbers its reference is of: two different ones of one kind are two reversals.
  add column reference_kind text;

-- What came in the last days may be told again by another channel; of older ones nothing is asked.
update transfer_reversals
  set channel = case when source like 'statement:%' then 'file' else source end
  where recorded_at > now() - interval '4 days' and dedupe_key not like 'operator:%';
