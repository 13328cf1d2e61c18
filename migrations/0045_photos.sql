-- Receipts and evidence may be photos as phones write them (WebP, HEIC) and are stored as they are.

alter table payer_receipts drop constraint payer_receipts_content_type_check;
alter table payer_receipts add constraint payer_receipts_content_type_check
  check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/heic', 'application/pdf')) not valid;
alter table dispute_evidence drop constraint dispute_evidence_content_type_check;
alter table dispute_evidence add constraint dispute_evidence_content_type_check
  check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/heic', 'application/pdf')) not valid;
