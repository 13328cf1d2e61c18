-- The number of an account that statements are bound by, sealed, so that it can be indexed with another key. Null where it was
-- bound before, until the next statement of the account shows its number.

alter table statement_accounts add column number_sealed text;
