-- The constraint of 0067 holds for all rows: each had terms of its own before it.

alter table payments validate constraint payments_terms_known;
