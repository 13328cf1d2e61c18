-- A file that is kept outside of the database has the hash of what is stored there; its content_sealed is the key of it.
alter table payer_receipts add column content_hash text;
alter table dispute_evidence add column content_hash text;
