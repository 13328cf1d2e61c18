--! oldest 0080
--! contract: the earlier deliveries of a payment are found by its events
--! no transaction

drop index concurrently if exists deliveries_of_payment;
