-- Why money on an account is credited by persons only, and since when; null if it is credited automatically.
alter table requisites add column crediting_held jsonb;
