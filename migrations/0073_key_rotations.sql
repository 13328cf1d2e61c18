-- Rotations of the encryption keys: everything is sealed and indexed again with another key, while the service runs.

create table key_rotations (
  -- The key that everything is sealed with when it has ended.
  key_id text primary key,
  started_by text not null,
  started_at timestamptz not null,
  finished_at timestamptz
);

-- How far each table is. A table is read again until a pass finds nothing to renew.
create table key_rotation_steps (
  key_id text not null references key_rotations (key_id),
  step text not null,
  -- The last row of the pass that was looked at; null at its beginning.
  position jsonb,
  pass integer not null default 1 check (pass >= 1),
  -- Rows of this pass, and those of them that were renewed; and the renewed ones of all passes.
  seen bigint not null default 0,
  renewed_in_pass bigint not null default 0,
  renewed bigint not null default 0,
  finished_at timestamptz,
  primary key (key_id, step)
);
