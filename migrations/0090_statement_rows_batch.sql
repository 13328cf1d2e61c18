--! no transaction
-- Bookings that a file reported in parts are found by their sum.
create index concurrently statement_rows_batch on statement_rows (requisite_id, booking_amount, booked_at)
  where booking_payments > 1;
