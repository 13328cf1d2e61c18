--! no transaction
-- Money that leaves an account is compared with the refunds of its amount that were announced for it.
create index concurrently overpayment_decisions_refunds on overpayment_decisions (requisite_id, amount, booked_at)
  where requisite_id is not null;
