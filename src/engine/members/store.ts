import { array, bigint, boolean, instant, integer, nullable, query, table, text, uuid, word } from 'payin-database'
import type { MerchantGrant, MemberRole, Role } from '../../rules/members/access.ts'

/**
 * Counts an attempt; starts again from one after `forgetBefore`; locks out at the first one beyond `most`. Returns
 * until when. What lies further ahead than `lockedUntil` is over: the clock has been ahead.
 */
export const countAttempt = query('count_member_attempt', {
  parameters: { attemptIndex: text, now: instant, forgetBefore: instant, most: integer, lockedUntil: instant },
  row: { lockedUntil: nullable(instant) },
  text: `insert into member_lockouts as known (email_index, failures, since) values (:attemptIndex, 1, :now)
    on conflict (email_index) do update set
      failures = case when known.since between :forgetBefore and :lockedUntil then known.failures + 1 else 1 end,
      since = case when known.since between :forgetBefore and :lockedUntil then known.since else excluded.since end,
      locked_until = case
        when known.locked_until > :now and known.locked_until <= :lockedUntil then known.locked_until
        when known.since between :forgetBefore and :lockedUntil and known.failures + 1 > :most then :lockedUntil end
    returning locked_until`,
})

export const forgetAttempts = table('member_lockouts', { emailIndex: text }).delete('forget_member_attempts')

/** Takes a code that is valid once; no row if it was taken after `forgetBefore`. */
export const takeCode = query('take_member_code', {
  parameters: { attemptIndex: text, now: instant, forgetBefore: instant },
  row: { takenAt: instant },
  text: `insert into member_lockouts as known (email_index, failures, since) values (:attemptIndex, 0, :now)
    on conflict (email_index) do update set since = excluded.since where known.since < :forgetBefore
    returning since as taken_at`,
})

/** A member's position, or the invited one; merchant and grant are null for operators. */
const position = {
  role: word<MemberRole>(),
  merchantId: nullable(uuid),
  merchantGrant: nullable(word<MerchantGrant>()),
}

const invitationRow = {
  /** The member whose password it sets; null for a new account. */
  memberId: nullable(uuid),
  name: text,
  email: text,
  ...position,
  invitedBy: text,
  createdAt: instant,
  expiresAt: instant,
}

/** Stores an invitation; only the latest one for a person is valid. */
export const insertInvitation = query('invite_member', {
  parameters: { ...invitationRow, tokenHash: text },
  text: `with former as (
      update member_invitations set revoked_at = :createdAt
      where accepted_at is null and revoked_at is null and (name = :name or email = :email)
    )
    insert into member_invitations
      (token_hash, member_id, name, email, role, merchant_id, merchant_grant, invited_by, created_at, expires_at)
    values (:tokenHash, :memberId, :name, :email, :role, :merchantId, :merchantGrant, :invitedBy, :createdAt, :expiresAt)`,
})

export const findInvitation = query('find_member_invitation', {
  parameters: { tokenHash: text, now: instant },
  row: invitationRow,
  text: `select :row from member_invitations
    where token_hash = :tokenHash and accepted_at is null and revoked_at is null and expires_at > :now`,
})

/** Takes an invitation, once; no row if it is no longer valid. */
export const takeInvitation = query('accept_member_invitation', {
  parameters: { tokenHash: text, now: instant },
  row: invitationRow,
  text: `update member_invitations set accepted_at = :now
    where token_hash = :tokenHash and accepted_at is null and revoked_at is null and expires_at > :now
    returning :row`,
})

export const selectInvitations = query('list_member_invitations', {
  planned: 'each-time',
  parameters: { now: instant, limit: integer },
  row: invitationRow,
  text: `select :row from member_invitations
    where accepted_at is null and revoked_at is null and expires_at > :now
    order by created_at desc limit :limit`,
})

/** Revokes the invitations of a name; returns those that could still be accepted. */
export const revokeInvitations = query('revoke_member_invitations', {
  parameters: { name: text, now: instant },
  row: { name: text },
  text: `update member_invitations set revoked_at = :now
    where name = :name and accepted_at is null and revoked_at is null and expires_at > :now
    returning name`,
})

export const revokeLinksBy = query('revoke_links_by_member', {
  parameters: { name: text, now: instant },
  text: `update member_invitations set revoked_at = :now
    where invited_by = :name and accepted_at is null and revoked_at is null`,
})

const memberRow = {
  id: uuid,
  name: text,
  email: text,
  ...position,
  twoFactorEnabled: boolean,
  disabledAt: nullable(instant),
  createdAt: instant,
  lastSeenAt: nullable(instant),
}

export const selectMembers = query('list_members', {
  planned: 'each-time',
  parameters: { limit: integer },
  row: memberRow,
  text: `select id, name, email, role, merchant_id, merchant_grant, two_factor_enabled, disabled_at, created_at,
      (select max(updated_at) from member_sessions where member_id = members.id) as last_seen_at
    from members order by name limit :limit`,
})

export const hasMembers = query('has_members', {
  row: { has: boolean },
  text: 'select exists (select from members) as has',
})

/** Adds a member; no row if another one has the name or the address. */
export const insertMember = query('insert_member', {
  parameters: { id: uuid, name: text, email: text, ...position, vouchedBy: text, now: instant },
  row: { id: uuid },
  text: `insert into members (id, name, email, email_verified, role, merchant_id, merchant_grant, vouched_by, vouched_at,
      created_at, updated_at)
    values (:id, :name, :email, true, :role, :merchantId, :merchantGrant, array[:vouchedBy], :now, :now, :now)
    on conflict do nothing returning id`,
})

export const upsertPassword = query('set_member_password', {
  parameters: { id: uuid, memberId: uuid, password: text, now: instant },
  text: `insert into member_credentials (id, member_id, account_id, provider_id, password, created_at, updated_at)
    values (:id, :memberId, :memberId, 'credential', :password, :now, :now)
    on conflict (member_id, provider_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
})

/** Notes who gave a member a new way to sign in, and when. */
export const addVoucher = query('note_who_vouched_for_member', {
  parameters: { memberId: uuid, by: text, now: instant },
  text: `update members set vouched_at = :now,
      vouched_by = case when :by = any (vouched_by) then vouched_by else vouched_by || :by end
    where id = :memberId`,
})

/**
 * The roles of accounts with these names, unless they are disabled, when somebody last vouched for them, and which of the other names has vouched for each, or for one
 * that has, and so on.
 */
export const findPeople = query('find_people', {
  parameters: { names: array(text) },
  row: { name: text, role: nullable(word<Role>()), vouchedAt: instant, vouchedBy: nullable(text) },
  text: `with recursive vouched as (
      select name, unnest(vouched_by) as by from members where name = any (:names)
      union
      select vouched.name, unnest(members.vouched_by) from vouched join members on members.name = vouched.by
    )
    select name, case when disabled_at is null and merchant_id is null then role end as role,
       coalesce(vouched_at, created_at) as vouched_at, (select by from vouched
        where vouched.name = members.name and by <> members.name and by = any (:names) limit 1) as vouched_by
    from members where name = any (:names)`,
})

/**
 * How many accounts of operators that were not made within a time have one of these roles, or were changed within it:
 * whoever disables or resets the others, or takes their roles, has not become the only one by that.
 */
export const countPeople = query('count_people', {
  parameters: { roles: array(text), since: instant, until: instant },
  row: { people: integer },
  text: `select count(*)::int as people from members
    where merchant_id is null and (created_at <= :since or created_at > :until)
      and (updated_at > :since and updated_at <= :until or role = any (:roles) and disabled_at is null)`,
})

export const findMembers = query('find_members', {
  parameters: { names: array(text), email: text },
  row: { id: uuid, name: text, email: text, ...position, disabledAt: nullable(instant) },
  text: `select :row from members where name = any(:names) or email = :email`,
})

// Excludes other changes: what they remove must not be written back.
export const lockMember = table('members', { name: text }).lock('lock_member', {
  id: uuid,
  email: text,
  ...position,
  disabledAt: nullable(instant),
})

export const lockOwners = query('lock_owners', {
  row: { name: text },
  text: `select name from members where role = 'owner' and disabled_at is null order by id for update`,
})

export const endSessions = table('member_sessions', { memberId: uuid }).delete('end_member_sessions')

export const endOtherSessions = query('end_other_member_sessions', {
  parameters: { memberId: uuid, keptId: uuid },
  text: `delete from member_sessions where member_id = :memberId and id <> :keptId`,
})

/** A session that has not ended, which then cannot end before the transaction does. */
export const lockSession = query('hold_member_session', {
  parameters: { id: uuid },
  row: { id: uuid },
  text: `select id from member_sessions where id = :id for key share`,
})

export const noteSessionUse = table('member_sessions', { id: uuid }).update('note_member_session_use', {
  updatedAt: instant,
})

export const updateMember = table('members', { id: uuid }).update('update_member', {
  ...position,
  disabledAt: nullable(instant),
  updatedAt: instant,
})

/** Removes the second factor of a member, who sets up another one at the next sign-in. */
export const removeSecondFactor = query('remove_member_second_factor', {
  parameters: { memberId: uuid, now: instant },
  text: `with factor as (delete from member_second_factors where member_id = :memberId),
      passkeys as (delete from member_passkeys where member_id = :memberId)
    update members set two_factor_enabled = false, updated_at = :now where id = :memberId`,
})

export const deleteEnded = query('clean_members', {
  parameters: { now: instant, before: instant, beforeMs: bigint },
  row: { deleted: bigint },
  text: `with sessions as (delete from member_sessions where expires_at < :now returning 1),
      verifications as (delete from member_verifications where expires_at < :now returning 1),
      invitations as (delete from member_invitations where expires_at < :before returning 1),
      attempts as (delete from member_lockouts where since < :before returning 1),
      counts as (delete from member_request_counts where last_request < :beforeMs returning 1)
    select (select count(*) from sessions) + (select count(*) from verifications) + (select count(*) from invitations)
      + (select count(*) from attempts) + (select count(*) from counts) as deleted`,
})
