-- The constraints of 0019 hold for all rows; no row had the purpose before them.

alter table outgoing_transfers validate constraint outgoing_transfers_purpose_check;
alter table outgoing_transfers validate constraint outgoing_transfers_refund_came_back;
