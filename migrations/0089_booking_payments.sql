-- How many payments a booking is the sum of: a file may report the sum, and another one its parts.
alter table statement_rows add column booking_payments integer;
