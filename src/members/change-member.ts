import type { Context, Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Role } from '../domain/role.ts'
import {
  endSessions,
  findMembers,
  lockOwners,
  removeSecondFactor,
  revokeInvitations,
  selectInvitations,
  selectMembers,
  updateMember,
} from './store.ts'

const findMember = async (tx: Tx, name: string) => {
  const [member] = await tx.query(findMembers, { names: [name], email: '' })
  if (!member) throw new Refusal('resource_not_found', `There is no member ${name}.`)
  return member
}

/**
 * Changes the role of a member, disables or enables it; its sessions end. Refuses `resource_not_found`, and
 * `invalid_state` where nobody would be left who may manage members.
 */
export const changeMember = async (
  tx: Tx,
  name: string,
  { role, isDisabled }: { readonly role?: Role | undefined; readonly isDisabled?: boolean | undefined },
): Promise<{ readonly role: Role; readonly isDisabled: boolean }> => {
  const member = await findMember(tx, name)
  const next = { role: role ?? member.role, isDisabled: isDisabled ?? member.disabledAt !== null }
  const losesOwner = member.role === 'owner' && member.disabledAt === null && (next.role !== 'owner' || next.isDisabled)
  if (losesOwner) {
    // Two owners who remove each other at once wait for one another here.
    const others = (await tx.query(lockOwners, {})).filter((each) => each.name !== name)
    if (others.length === 0)
      throw new Refusal('invalid_state', `${name} is the last owner; make another member one first.`)
  }
  const disabledAt = next.isDisabled ? (member.disabledAt ?? tx.now) : null
  await tx.query(updateMember, { memberId: member.id, role: next.role, disabledAt, now: tx.now })
  await tx.query(endSessions, { memberId: member.id })
  return next
}

/** Removes the second factor and the passkeys of a member who has lost them, and ends all sessions. */
export const forgetSecondFactor = async (tx: Tx, name: string): Promise<void> => {
  const member = await findMember(tx, name)
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
