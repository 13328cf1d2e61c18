-- The check of 0016, for the rows before it.
alter table requisite_pauses validate constraint requisite_pauses_cause_check;
