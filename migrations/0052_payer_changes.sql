-- How often the payer has corrected its phone and bank: a page is open to whoever has its link, so there is a limit.
alter table payments add column payer_changes integer not null default 0;
