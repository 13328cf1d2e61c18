-- The constraint of 0056 holds for all rows: they have its default.

alter table simulated_steps validate constraint simulated_steps_reported_by;
