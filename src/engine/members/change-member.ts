import type { Context, Tx } from '../context.ts'
import { lockAdding } from 'payin-database'
import { invalidState, Refusal } from '../../rules/refusal.ts'
import type { MerchantGrant, MemberRole, Role } from '../../rules/members/access.ts'
import {
  addVoucher,
  endSessions,
  lockMember,
  lockOwners,
  removeSecondFactor,
  revokeInvitations,
  revokeLinksBy,
  selectInvitations,
  selectMembers,
  updateMember,
  deleteEnded,
} from './store.ts'
import { day } from '../../rules/time.ts'

/** A change of a member's role, grant or account; undefined fields stay. */
type MemberChange = {
  readonly role?: Role | undefined
  /** For a member of a merchant. */
  readonly grant?: MerchantGrant | undefined
  readonly isDisabled?: boolean | undefined
}

/** A member after a change. */
type Changed = {
  readonly role: MemberRole
  readonly merchantGrant: MerchantGrant | null
  readonly isDisabled: boolean
}

const unknownMember = (name: string): Refusal => new Refusal('resource_not_found', `There is no member ${name}.`)

const refuseLastOwner = async (tx: Tx, name: string): Promise<void> => {
  const owners = await tx.query(lockOwners, {})
  if (owners.length === 1 && owners[0]?.name === name)
    throw invalidState(`${name} is the last owner; make another member one first.`)
}

/**
 * Changes a member's role or grant; disables or enables the account. Its sessions end, and so do its invitations and links
 * for passwords. Refuses `resource_not_found`, and `invalid_state` if an operator would become a member of a merchant or vice versa, or if nobody would be left who may
 * manage members.
 */
export const changeMember = async (tx: Tx, name: string, change: MemberChange): Promise<Changed> => {
  // One at a time, so that two owners cannot remove each other concurrently.
  await lockAdding(tx, 'members')
  const [member] = await tx.query(lockMember, { name })
  if (!member) throw unknownMember(name)
  const isOfMerchant = member.role === 'merchant'
  // Only the invitation decides whose data somebody sees.
  if (isOfMerchant && change.role !== undefined)
    throw invalidState(`${name} is a member of a merchant; operators have accounts of their own.`)
  if (!isOfMerchant && change.grant !== undefined)
    throw invalidState(`${name} is an operator, who has a role instead of a grant.`)
  const role = change.role ?? member.role
  const merchantGrant = change.grant ?? member.merchantGrant
  const isDisabled = change.isDisabled ?? member.disabledAt !== null
  if (role !== 'owner' || isDisabled) await refuseLastOwner(tx, name)
  const { id: memberId, merchantId } = member
  const disabledAt = isDisabled ? (member.disabledAt ?? tx.now) : null
  await tx.query(updateMember, { id: memberId, role, merchantId, merchantGrant, disabledAt, updatedAt: tx.now })
  await tx.query(endSessions, { memberId })
  // After its sessions, in which it might still have made one.
  await tx.query(revokeLinksBy, { name, now: tx.now })
  return { role, merchantGrant, isDisabled }
}

/** Removes the second factor and the passkeys of a member who has lost them, and ends all its sessions. */
export const forgetSecondFactor = async (tx: Tx, name: string, by: string): Promise<void> => {
  const [member] = await tx.query(lockMember, { name })
  if (!member) throw unknownMember(name)
  await tx.query(removeSecondFactor, { memberId: member.id, now: tx.now })
  await tx.query(addVoucher, { memberId: member.id, by, now: tx.now })
  await tx.query(endSessions, { memberId: member.id })
}

/** Revokes the invitation of a name. Refuses `resource_not_found`. */
export const revokeInvitation = async (tx: Tx, name: string): Promise<void> => {
  const revoked = await tx.query(revokeInvitations, { name, now: tx.now })
  if (revoked.length === 0) throw new Refusal('resource_not_found', `There is no open invitation of ${name}.`)
}

const mostListed = 5000

/** Members and open invitations: at most 5,000 of each. */
export const listMembers = async (context: Context, most: number = mostListed) => {
  const limit = most + 1
  const [members, invitations] = await Promise.all([
    context.query(selectMembers, { limit }),
    context.query(selectInvitations, { limit, now: context.clock() }),
  ])
  return {
    members: members.slice(0, most),
    invitations: invitations.slice(0, most),
    areAll: members.length <= most && invitations.length <= most,
  }
}

/** Rows that have been useless for this long are deleted. */
const keptMs = 7 * day

/** Deletes sessions, links and counts that have ended; returns how many. */
export const cleanMembers = async (context: Context): Promise<number> => {
  const now = context.clock()
  const before = now - keptMs
  const [row] = await context.query(deleteEnded, { now, before, beforeMs: BigInt(before) })
  return Number(row?.deleted ?? 0)
}
