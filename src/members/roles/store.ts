import { array, instant, query, text, uuid, word } from '../../database/query.ts'
import type { Role } from '../../domain/role.ts'
import { positionRow } from '../store.ts'

/** Members' positions in tenants other than `main`. */
export const selectRoles = query('list_member_roles', {
  parameters: { memberIds: array(uuid) },
  row: { memberId: uuid, ...positionRow },
  text: `select member_id, tenant, role, merchant_id, merchant_grant from member_roles
    where member_id = any(:memberIds) order by tenant, member_id`,
})

/** A member's positions in tenants other than `main`. */
export const selectRolesOf = query('list_roles_of_member', {
  parameters: { memberId: uuid },
  row: positionRow,
  text: `select tenant, role, merchant_id, merchant_grant from member_roles where member_id = :memberId order by tenant`,
})

/** Sets a member's position in a tenant other than `main`, replacing any earlier one. */
export const upsertRole = query('give_member_role', {
  parameters: { memberId: uuid, ...positionRow, by: text, now: instant },
  text: `insert into member_roles (member_id, tenant, role, merchant_id, merchant_grant, given_by, given_at)
    values (:memberId, :tenant, :role, :merchantId, :merchantGrant, :by, :now)
    on conflict (member_id, tenant) do update set role = excluded.role, merchant_id = excluded.merchant_id,
      merchant_grant = excluded.merchant_grant, given_by = excluded.given_by, given_at = excluded.given_at`,
})

/** Removes a member's position in a tenant other than `main`. */
export const deleteRole = query('take_member_role', {
  parameters: { memberId: uuid, tenant: text },
  text: `delete from member_roles where member_id = :memberId and tenant = :tenant`,
})

/** Removes all roles in a tenant, and its open invitations. */
export const deleteRolesIn = query('take_roles_in_tenant', {
  parameters: { tenant: text, now: instant },
  text: `with invitations as (
      update member_invitations set revoked_at = :now where tenant = :tenant and accepted_at is null and revoked_at is null
    )
    delete from member_roles where tenant = :tenant`,
})

/** A role of a member in a tenant other than `main`, which then cannot be removed before the transaction ends. */
export const holdRole = query('hold_member_role', {
  parameters: { memberId: uuid, tenant: text, role: word<Role>() },
  row: { tenant: text },
  text: `select tenant from member_roles where member_id = :memberId and tenant = :tenant and role = :role for share`,
})

/** Tenants other than `main` in which this member is the only owner who may sign in. */
export const findOwnedAlone = query('find_tenants_owned_alone', {
  parameters: { memberId: uuid },
  row: { tenant: text },
  text: `select tenant from member_roles as own where member_id = :memberId and role = 'owner' and not exists (
      select from member_roles as other join members on members.id = other.member_id
      where other.tenant = own.tenant and other.role = 'owner' and other.member_id <> :memberId and members.disabled_at is null
    ) order by tenant`,
})
