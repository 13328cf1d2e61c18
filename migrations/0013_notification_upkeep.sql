-- A merchant's events since a time, for what is delivered again; payment.new has no place, so creates write nothing more.
create index outbox_times on outbox (merchant_id, created_at, position) where position is not null;

-- What is kept no longer, whoever it was sent to.
create index deliveries_settled on deliveries (settled_at) where settled_at is not null;
