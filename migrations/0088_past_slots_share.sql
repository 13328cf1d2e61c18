-- Former holders keep whether they shared: two may have held one amount at the same time only if both did.
alter table past_slots add column shares boolean not null default false;
