-- The link by which a payment was started. Nullable: what a payment does not have takes no room.
alter table payments add column link_id uuid;
