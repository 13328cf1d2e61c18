--! no transaction
-- Operators name a reversal by its bank reference.
create index concurrently transfer_reversals_by_reference on transfer_reversals (requisite_id, bank_reference)
  where bank_reference is not null;
