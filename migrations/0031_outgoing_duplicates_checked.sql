-- The constraints of 0030 hold for all rows; nothing was a duplicate before them.

alter table outgoing_transfers validate constraint outgoing_transfers_state_check;
alter table outgoing_transfers validate constraint outgoing_transfers_duplicate_of_another;
