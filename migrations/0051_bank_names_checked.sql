-- The constraint of 0050 holds for all rows; no bank had a rank before it.

alter table bank_issuers validate constraint bank_issuers_rank_positive;
