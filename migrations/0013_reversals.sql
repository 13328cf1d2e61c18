-- Banks take transfers back in parts: several reversals of one transfer, up to its amount.

drop index transfer_reversals_once;
-- What a bank has taken back of a transfer so far; whoever adds to it has locked the transfer.
create index transfer_reversals_transfer on transfer_reversals (requisite_id, transfer_id) where transfer_id is not null;

-- How much of a part that stays where it is the bank has taken back: of a credited payment, or of a decided overpayment.
alter table transfer_parts add column reversed_amount bigint not null default 0
  constraint transfer_parts_reversed_within check (reversed_amount between 0 and amount);
-- Until now only whole transfers were taken back.
update transfer_parts set reversed_amount = amount
  where replaced_at is null and kind in ('payment', 'overpayment')
    and exists (select from transfer_reversals as reversals
      where reversals.requisite_id = transfer_parts.requisite_id and reversals.transfer_id = transfer_parts.transfer_id);
