--! no transaction
-- The last use of a requisite, its newest payments and its oldest slots are found without reading a week of its slots.
create index concurrently slots_taken on slots (requisite_id, taken_at);
