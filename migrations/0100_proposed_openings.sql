-- A lower opening balance that one operator proposes, until another one sets the same.
alter table opening_balances add column proposed_day text, add column proposed_balance bigint, add column proposed_by text;
