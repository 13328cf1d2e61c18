-- Money out that a file may report again with another text waits with the transfer that it may be; said to be the same
-- money, it is a duplicate and moves nothing.

alter table outgoing_transfers add column duplicate_of uuid;
alter table outgoing_transfers drop constraint outgoing_transfers_state_check;
alter table outgoing_transfers add constraint outgoing_transfers_state_check
  check (state in ('unexplained', 'booked', 'duplicate', 'withdrawn')) not valid;
alter table outgoing_transfers add constraint outgoing_transfers_duplicate_of_another
  check (state <> 'duplicate' or (duplicate_of is not null and duplicate_of <> id and purpose is null)) not valid;
