--! no transaction

-- The money of the inbox, requisite by requisite: a hundred thousand waiting transfers are added up in milliseconds.
create index concurrently transfer_parts_waiting on transfer_parts (requisite_id) include (amount)
  where kind = 'suspense' and replaced_at is null;
