-- The simulated service closes a payment or reminds of it, and simulated operators pay out a balance.

alter table simulated_steps drop constraint simulated_steps_action_check;
alter table simulated_steps add constraint simulated_steps_action_check
  check (action in ('transfer', 'end-time', 'reversal', 'open-dispute', 'accept-dispute', 'reject-dispute', 'fail',
    'remind', 'settle')) not valid;
