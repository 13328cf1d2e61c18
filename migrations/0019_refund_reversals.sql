-- A bank gives a refund back: an outgoing transfer that came back names the one that had carried the refund out.

alter table outgoing_transfers drop constraint outgoing_transfers_purpose_check;
alter table outgoing_transfers add constraint outgoing_transfers_purpose_check
  check (purpose in ('refund', 'refund-reversal', 'reversal', 'fee', 'settlement', 'own-account', 'other')) not valid;
-- Only money that came back, and names the refund, is one that was given back.
alter table outgoing_transfers add constraint outgoing_transfers_refund_came_back
  check (purpose <> 'refund-reversal' or (given_back and document_id is not null)) not valid;
