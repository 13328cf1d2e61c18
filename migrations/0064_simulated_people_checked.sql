-- The constraint of 0063 holds for all rows: it allows more than the one before it.

alter table simulated_steps validate constraint simulated_steps_action_check;
