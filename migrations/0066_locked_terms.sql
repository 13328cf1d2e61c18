-- Terms that payments share. Spelled out in each payment they were 376 of its 612 bytes, written with every change of it.
create table locked_terms (
  -- The first half of the SHA-256 of the terms: the same terms are one row, whoever writes them.
  id uuid primary key,
  terms jsonb not null
);
comment on table locked_terms is 'Terms that payments were created with, named by their content';

alter table payments add column terms_id uuid;
