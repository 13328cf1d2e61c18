--! no transaction
-- A statement is not withdrawn while another one's money out counts, or may count, as its own.
create index concurrently outgoing_transfers_duplicate_of on outgoing_transfers (duplicate_of)
  where duplicate_of is not null;
