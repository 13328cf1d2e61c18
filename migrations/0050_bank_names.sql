-- Payers find their bank by the names that they know: other names that it has, and its place among the banks that most of
-- them have.

alter table bank_issuers add column aliases jsonb not null default '[]';
alter table bank_issuers add column rank integer;
alter table bank_issuers add constraint bank_issuers_rank_positive check (rank >= 1) not valid;
