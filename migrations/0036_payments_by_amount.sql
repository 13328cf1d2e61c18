--! no transaction
-- Operators list the largest or smallest payments of a currency. By merchant, as everything that lists payments.
create index concurrently payments_by_amount on payments (merchant_id, currency, amount, id);
