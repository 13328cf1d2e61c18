-- An account of the console has a role in each tenant that it may use: the one in `main` is in its own row as before, `none`
-- where it has none there; the others are in a table. Only the rows in the schema of `main` count.

alter table members drop constraint members_role_known;
alter table members add constraint members_role_known
  check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant', 'none')) not valid;
alter table member_invitations drop constraint member_invitations_role_known;
alter table member_invitations add constraint member_invitations_role_known
  check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant', 'none')) not valid;

-- What an account is in another tenant than `main`. The merchant is in the schema of that tenant, so no key refers to it.
create table member_roles (
  member_id uuid not null references members on delete cascade,
  tenant text not null,
  role text not null,
  merchant_id uuid,
  merchant_grant text,
  given_by text not null,
  given_at timestamptz not null,
  primary key (member_id, tenant),
  constraint member_roles_not_of_main check (tenant <> 'main'),
  constraint member_roles_role_known check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant')),
  constraint member_roles_merchant_with_role
    check ((role = 'merchant') = (merchant_id is not null) and (role = 'merchant') = (merchant_grant is not null)),
  constraint member_roles_merchant_grant_known check (merchant_grant in ('read', 'write'))
);
create index member_roles_by_tenant on member_roles (tenant);

-- An invitation to another tenant than `main`: its `role` is then `none`, which is what an older version makes of it.
alter table member_invitations add column tenant text;
alter table member_invitations add column tenant_role text;
alter table member_invitations add column tenant_merchant_id uuid;
alter table member_invitations add column tenant_merchant_grant text;
