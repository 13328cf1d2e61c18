--! no transaction
-- Whether the bank gave a refund back is asked of each that left.
create index concurrently outgoing_transfers_refund_reversals on outgoing_transfers (document_id)
  where purpose = 'refund-reversal';
