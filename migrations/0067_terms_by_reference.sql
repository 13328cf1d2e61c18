--! oldest 0066
--! contract: versions since 0066 read the terms that a payment names; from here on it has of its own only what differs
alter table payments alter column terms drop not null;

alter table payments add constraint payments_terms_known check (terms_id is not null or terms is not null) not valid;
