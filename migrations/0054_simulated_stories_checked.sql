-- The constraints of 0053 hold for all rows: they allow more than those before them.

alter table simulated_steps validate constraint simulated_steps_action_check;
alter table simulated_steps validate constraint simulated_steps_amount_of_transfer;
