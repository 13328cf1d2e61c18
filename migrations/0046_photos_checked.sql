-- The constraints of 0045 hold for all rows: each file was a PNG, a JPEG or a PDF before it.

alter table payer_receipts validate constraint payer_receipts_content_type_check;
alter table dispute_evidence validate constraint dispute_evidence_content_type_check;
