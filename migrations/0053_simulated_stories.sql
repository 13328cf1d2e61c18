-- The simulated bank takes money back, and simulated people open and decide disputes.

alter table simulated_steps drop constraint simulated_steps_action_check;
alter table simulated_steps add constraint simulated_steps_action_check
  check (action in ('transfer', 'end-time', 'reversal', 'open-dispute', 'accept-dispute', 'reject-dispute')) not valid;
-- Without an amount a reversal takes all back, and a dispute is about the amount of its payment.
alter table simulated_steps drop constraint simulated_steps_amount_of_transfer;
alter table simulated_steps add constraint simulated_steps_amount_of_transfer
  check (action <> 'transfer' or amount is not null) not valid;
