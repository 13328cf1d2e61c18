-- Whatever knows this migration reads no archive: 0104 takes it away.
comment on table archive_files is 'No longer used.';
