-- The filters of lists that operators have saved under names, each for themselves.
create table saved_views (
  operator text not null,
  list text not null,
  name text not null,
  filters jsonb not null,
  saved_at timestamptz not null,
  primary key (operator, list, name),
  constraint saved_views_list_known check (list in ('payments', 'transfers'))
);
