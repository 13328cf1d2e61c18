--! oldest 0102
--! contract: the history of finished payments stays in the database
drop table archive_cursors;
drop table archive_progress;
drop table archived_notifications;
drop table archived_payments;
drop table archive_files;
