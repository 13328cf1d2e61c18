-- When somebody last invited the member or reset its password or second factor; null: when it was created.
alter table members add column vouched_at timestamptz;
