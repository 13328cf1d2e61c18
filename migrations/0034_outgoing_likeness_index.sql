--! no transaction
-- Reports of one channel that may be one booking are looked for with every file.
create index concurrently outgoing_keys_alike on outgoing_keys (requisite_id, likeness) where likeness is not null;
