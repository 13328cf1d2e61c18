--! no transaction
-- Payments are found by their own columns.
delete from search_entries where (kind, owner_id, id) in (
  select kind, owner_id, id from search_entries where kind = 'payment' limit 1000);
delete from search_progress where kind in (select kind from search_progress where kind = 'payment' limit 1);
