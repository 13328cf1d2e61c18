-- A credit is worth the payment's rate up to `locked_part`, and `later_price` beyond it: what exceeds the amount or came
-- late. Both are null if all of it is worth the payment's rate.
alter table payments add column locked_part bigint, add column later_price bigint;
alter table payments add constraint payments_later_price_is_worse check (
  (locked_part is null) = (later_price is null) and (later_price is null or (locked_part >= 0 and later_price > rate_price))
) not valid;

-- The price at which an overpayment was assigned to the merchant, if it was worse than that of its payment.
alter table overpayment_decisions add column later_price bigint;
