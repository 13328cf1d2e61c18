--! no transaction
-- Operators list the disputes about the most money, also decided ones.
create index concurrently disputes_by_amount on disputes (merchant_id, amount, id);
