--! no transaction
-- Accounts that had roles in tenants only: nobody signs in with them until an owner gives them a role and enables them.
update members set role = 'auditor', disabled_at = coalesce(disabled_at, updated_at)
where id in (select id from members where role = 'none' limit 1000);
delete from member_invitations
where token_hash in (select token_hash from member_invitations where role = 'none' limit 1000);
delete from catalog_versions where part in (select part from catalog_versions where part = 'tenants' limit 1);
