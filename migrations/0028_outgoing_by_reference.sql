--! no transaction
-- Operators name an outgoing transfer by its bank reference.
create index concurrently outgoing_transfers_by_reference on outgoing_transfers (requisite_id, bank_reference)
  where bank_reference is not null;
