-- Undoing an import takes sets, as the import does; what is being undone waits for nobody's decision any more.
alter table statements
  -- The last row that was looked at, and the last whose transfer was taken back; a restart goes on behind them.
  add column undo_checked_to integer not null default 0,
  add column undone_to integer not null default 0,
  -- Why the last attempt at undoing it was given up.
  add column undo_failure text,
  drop constraint statements_state_check,
  drop constraint statements_check,
  drop constraint statements_check2,
  add constraint statements_state_check
    check (state in ('reading', 'ready', 'refused', 'discarded', 'importing', 'imported', 'undoing', 'undone')),
  add constraint statements_confirmed_check
    check ((state in ('importing', 'imported', 'undoing', 'undone')) = (confirmed_at is not null)),
  add constraint statements_imported_check
    check (state not in ('imported', 'undoing', 'undone') or imported_at is not null),
  add constraint statements_undoing_check check (state not in ('undoing', 'undone') or undone_by is not null);
drop index statements_under_way;
create index statements_under_way on statements (id) where state in ('reading', 'importing', 'undoing');
