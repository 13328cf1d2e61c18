--! oldest 0100
--! contract: filters are in the address of the console, where a bookmark keeps them
drop table saved_views;
