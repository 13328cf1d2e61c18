-- The actors who invited the member or reset its password or second factor: they and the member are no two persons.
alter table members add column vouched_by text[] not null default '{}';

-- The account or token with which somebody acted, and the session of the console.
alter table audit_entries add column credential text, add column session_id uuid;
