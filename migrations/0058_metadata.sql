-- Texts that a merchant notes with a payment for itself, by name. Nullable: what a payment does not have takes no room.
alter table payments add column metadata jsonb;
