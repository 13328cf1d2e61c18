import type { Context, Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { MerchantGrant } from '../domain/access.ts'
import type { MemberRole, Role } from '../domain/role.ts'
import {
  endSessions,
  lockMember,
  lockOwners,
  removeSecondFactor,
  revokeInvitations,
  selectInvitations,
  selectMembers,
  updateMember,
} from './store.ts'

const unknownMember = (name: string): Refusal => new Refusal('resource_not_found', `There is no member ${name}.`)

/** What a member is changed to; what is undefined stays. */
type MemberChange = {
  readonly role?: Role | undefined
  /** Of a member of a merchant. */
  readonly grant?: MerchantGrant | undefined
  readonly isDisabled?: boolean | undefined
}

const refuseOtherSide = (name: string, merchantId: string | null, { role, grant }: MemberChange): void => {
  // Whose data somebody sees is decided once, by the invitation.
  if (merchantId !== null && role !== undefined)
    throw new Refusal('invalid_state', `${name} is a member of a merchant; operators have accounts of their own.`)
  if (merchantId === null && grant !== undefined)
    throw new Refusal('invalid_state', `${name} is an operator, who has a role instead of a grant.`)
}

/**
 * Changes the role or the grant of a member, disables or enables it; its sessions end. Refuses `resource_not_found`, and
 * `invalid_state` where an operator would become a member of a merchant or the reverse, or where nobody would be left who
 * may manage members.
 */
export const changeMember = async (
  tx: Tx,
  name: string,
  change: MemberChange,
): Promise<{
  readonly role: MemberRole
  readonly merchantGrant: MerchantGrant | null
  readonly isDisabled: boolean
}> => {
  // First, so that two owners who remove each other at once wait for one another here.
  const owners = await tx.query(lockOwners, {})
  const [member] = await tx.query(lockMember, { name })
  if (!member) throw unknownMember(name)
  refuseOtherSide(name, member.merchantId, change)
  const next = {
    role: change.role ?? member.role,
    merchantGrant: change.grant ?? member.merchantGrant,
    isDisabled: change.isDisabled ?? member.disabledAt !== null,
  }
  const losesOwner = member.role === 'owner' && member.disabledAt === null && (next.role !== 'owner' || next.isDisabled)
  if (losesOwner && owners.every((each) => each.name === name))
    throw new Refusal('invalid_state', `${name} is the last owner; make another member one first.`)
  const disabledAt = next.isDisabled ? (member.disabledAt ?? tx.now) : null
  const { role, merchantGrant } = next
  await tx.query(updateMember, { memberId: member.id, role, merchantGrant, disabledAt, now: tx.now })
  await tx.query(endSessions, { memberId: member.id })
  return next
}

/** Removes the second factor and the passkeys of a member who has lost them, and ends all sessions. */
export const forgetSecondFactor = async (tx: Tx, name: string): Promise<void> => {
  const [member] = await tx.query(lockMember, { name })
  if (!member) throw unknownMember(name)
  await tx.query(removeSecondFactor, { memberId: member.id, now: tx.now })
  await tx.query(endSessions, { memberId: member.id })
}

/** Takes back the invitation of a name. Refuses `resource_not_found`. */
export const revokeInvitation = async (tx: Tx, name: string): Promise<void> => {
  const revoked = await tx.query(revokeInvitations, { name, now: tx.now })
  if (revoked.length === 0) throw new Refusal('resource_not_found', `There is no open invitation of ${name}.`)
}

/** Members and open invitations. */
export const listMembers = async (context: Context) => ({
  members: await context.query(selectMembers, {}),
  invitations: await context.query(selectInvitations, { now: context.clock() }),
})
