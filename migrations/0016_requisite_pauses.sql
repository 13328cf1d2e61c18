-- Requisites are also paused while the phone that reports their money is silent.
alter table requisite_pauses drop constraint requisite_pauses_cause_check;
alter table requisite_pauses add constraint requisite_pauses_cause_check
  check (cause in ('expired', 'unmatched', 'silent')) not valid;
