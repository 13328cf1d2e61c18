--! no transaction
-- Rows come in the order of their times: what was acknowledged lately is found by pages, for next to no room.
create index concurrently payment_acknowledgements_time on payment_acknowledgements using brin (acknowledged_at) with (pages_per_range = 16);
-- Money that no payment has is posted for its transfer alone.
create index concurrently ledger_postings_transfer on ledger_postings (transfer_id) where payment_id is null and transfer_id is not null;
