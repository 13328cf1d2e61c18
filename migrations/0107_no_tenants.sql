--! oldest 0106
--! contract: an installation has one schema, and each operator one role; other cells have schemas and processes of their own
drop table member_roles;
alter table member_invitations
  drop column tenant,
  drop column tenant_role,
  drop column tenant_merchant_id,
  drop column tenant_merchant_grant;
-- Numbers were claimed, so that no two tenants recorded the same money.
alter table statement_accounts drop column claim_index, drop column bank_code_length;

alter table members drop constraint members_role_known;
alter table members add constraint members_role_known
  check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant')) not valid;
alter table member_invitations drop constraint member_invitations_role_known;
alter table member_invitations add constraint member_invitations_role_known
  check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant')) not valid;
alter table catalog_versions drop constraint catalog_versions_part_check;
alter table catalog_versions add constraint catalog_versions_part_check
  check (part in ('merchants', 'tokens', 'requisites', 'rates', 'banks', 'risk')) not valid;
