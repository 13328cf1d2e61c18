--! no transaction
-- Stored files are looked up by their ids, which are their names.
create index concurrently payer_receipts_id on payer_receipts (id);
create index concurrently dispute_evidence_id on dispute_evidence (id);
-- Files that are not moved yet.
create index concurrently payer_receipts_kept on payer_receipts (id) where content_hash is null;
create index concurrently dispute_evidence_kept on dispute_evidence (id) where content_hash is null;
