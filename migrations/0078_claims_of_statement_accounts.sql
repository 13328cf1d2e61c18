-- The number of an account that statements are bound by belongs to one tenant, as that of a requisite does. It is claimed under the
-- same keyed hash; null where it was bound before, until a job has noted it. How many characters of the number are the
-- code of its bank says what the hash is of.

alter table statement_accounts
  add column claim_index text,
  add column bank_code_length integer not null default 0;
