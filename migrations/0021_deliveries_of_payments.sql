-- What was told of one payment, for who looks for its calls. Named without the merchant, so that it cannot stand for the
-- other orders of events; payment.new has no place, so creates write nothing more.
create index outbox_of_payment on outbox (payment_id, position) where position is not null and payment_id is not null;
