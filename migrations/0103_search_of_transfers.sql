--! oldest 0101
--! contract: payments are found by their own columns
delete from search_entries where kind = 'payment';
delete from search_progress where kind = 'payment';
