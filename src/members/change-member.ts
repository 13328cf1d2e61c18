import type { Context, Tx } from '../context.ts'
import { lockAdding } from '../database/lock-adding.ts'
import { Refusal } from '../domain/refusal.ts'
import type { MerchantGrant } from '../domain/access.ts'
import type { MemberRole, Role } from '../domain/role.ts'
import { mainTenant } from '../domain/tenant.ts'
import { noMerchant } from './find-member.ts'
import { deleteRole, deleteRolesIn, findOwnedAlone, selectRoles, selectRolesOf, upsertRole } from './roles/store.ts'
import {
  addVoucher,
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

const otherSide = {
  role: (name: string): Refusal =>
    new Refusal('invalid_state', `${name} is a member of a merchant; operators have accounts of their own.`),
  grant: (name: string): Refusal =>
    new Refusal('invalid_state', `${name} is an operator, who has a role instead of a grant.`),
}

/** A member's position in a tenant. */
export type MemberPosition = Omit<ReturnType<typeof selectRolesOf.decode>, 'tenant'>

type Locked = ReturnType<typeof lockMember.decode> & {
  readonly name: string
  readonly positions: ReadonlyMap<string, MemberPosition>
}

/**
 * A member with its positions; changes of members wait for each other, so that two owners cannot remove each other
 * concurrently.
 */
const lock = async (tx: Tx, name: string): Promise<Locked> => {
  await lockAdding(tx, 'members')
  const [member] = await tx.query(lockMember, { name })
  if (!member) throw unknownMember(name)
  const { role, merchantId, merchantGrant } = member
  const positions = new Map<string, MemberPosition>()
  if (role !== 'none') positions.set(mainTenant, { role, merchantId, merchantGrant })
  for (const { tenant, ...position } of await tx.query(selectRolesOf, { memberId: member.id }))
    positions.set(tenant, position)
  return { ...member, name, positions }
}

const refuseLastOwner = async (tx: Tx, { id, name, disabledAt, positions }: Locked, from: string): Promise<void> => {
  if (disabledAt !== null || positions.get(from)?.role !== 'owner') return
  const isLast =
    from === mainTenant
      ? (await tx.query(lockOwners, {})).every((each) => each.name === name)
      : (await tx.query(findOwnedAlone, { memberId: id })).some(({ tenant }) => tenant === from)
  const where = from === mainTenant ? '' : ` of ${from}`
  if (isLast) throw new Refusal('invalid_state', `${name} is the last owner${where}; make another member one first.`)
}

/**
 * Writes a member's position in a tenant; null for none. In `main` its sessions end; elsewhere the next request sees
 * the change.
 */
const writePosition = async (
  tx: Tx,
  { id: memberId, disabledAt, positions }: Locked,
  tenant: string,
  position: MemberPosition | null,
  by: string,
): Promise<void> => {
  const { now } = tx
  if (tenant === mainTenant) {
    const inMain = position ?? { role: 'none' as const, ...noMerchant }
    await tx.query(updateMember, { memberId, ...inMain, disabledAt, now })
  } else if (position === null) await tx.query(deleteRole, { memberId, tenant })
  else await tx.query(upsertRole, { memberId, tenant, ...position, by, now })
  const isOfMerchant = positions.get(tenant)?.role === 'merchant'
  if (tenant === mainTenant || isOfMerchant) await tx.query(endSessions, { memberId })
}

/** A change of a member's position in a tenant; undefined fields stay. */
type MemberChange = {
  readonly role?: Role | undefined
  /** For a member of a merchant. */
  readonly grant?: MerchantGrant | undefined
  /** For the account, in all tenants. */
  readonly isDisabled?: boolean | undefined
}

/** A member's position after a change. */
type Changed = Pick<MemberPosition, 'merchantGrant'> & {
  readonly role: MemberRole | undefined
  readonly isDisabled: boolean
}

/**
 * Changes the role or the grant that a member has in a tenant; disables or enables the account. Refuses
 * `resource_not_found`, also if the member has no position in that tenant, and `invalid_state` if an operator would
 * become a member of a merchant or vice versa, or if nobody would be left who may manage members.
 */
export const changeMember = async (
  tx: Tx,
  tenant: string,
  name: string,
  change: MemberChange,
  by: string,
): Promise<Changed> => {
  const member = await lock(tx, name)
  const before = member.positions.get(tenant)
  if (!before && (change.role ?? change.grant ?? tenant !== mainTenant)) throw unknownMember(name)
  // Only the invitation decides whose data somebody sees.
  if (before?.role === 'merchant' && change.role !== undefined) throw otherSide.role(name)
  if (before && before.role !== 'merchant' && change.grant !== undefined) throw otherSide.grant(name)
  const next = before && {
    ...before,
    role: change.role ?? before.role,
    merchantGrant: change.grant ?? before.merchantGrant,
  }
  const wasDisabled = member.disabledAt !== null
  const isDisabled = change.isDisabled ?? wasDisabled
  if (next && next.role !== 'owner') await refuseLastOwner(tx, member, tenant)
  if (isDisabled && !wasDisabled) for (const each of member.positions.keys()) await refuseLastOwner(tx, member, each)
  const disabledAt = isDisabled ? (member.disabledAt ?? tx.now) : null
  if (next) await writePosition(tx, { ...member, disabledAt }, tenant, next, by)
  if (change.isDisabled !== undefined) {
    const { id: memberId, role, merchantId, merchantGrant } = member
    const inMain = tenant === mainTenant && next ? next : { role, merchantId, merchantGrant }
    await tx.query(updateMember, { memberId, ...inMain, disabledAt, now: tx.now })
    await tx.query(endSessions, { memberId })
  }
  return { role: next?.role, merchantGrant: next?.merchantGrant ?? null, isDisabled }
}

/**
 * Gives an existing account a role in a tenant, or another role. A caller who does not know all accounts must also give
 * the address. Refuses `resource_not_found`, and `invalid_state` for members of merchants and the last owner.
 */
export const giveRole = async (
  tx: Tx,
  tenant: string,
  { name, email, role }: { readonly name: string; readonly email: string | undefined; readonly role: Role },
  by: string,
): Promise<void> => {
  const member = await lock(tx, name).catch((error: unknown) => {
    throw error instanceof Refusal && email !== undefined ? unknownAccount() : error
  })
  if (email !== undefined && member.email !== email.toLowerCase()) throw unknownAccount()
  if ([...member.positions.values()].some((each) => each.role === 'merchant')) throw otherSide.role(name)
  if (role !== 'owner') await refuseLastOwner(tx, member, tenant)
  await writePosition(tx, member, tenant, { role, ...noMerchant }, by)
}

const unknownAccount = (): Refusal =>
  new Refusal('resource_not_found', 'There is no account with this name and this address.')

/** Removes a member's position in a tenant. Refuses `resource_not_found`, and `invalid_state` for the last owner. */
export const takeRole = async (tx: Tx, tenant: string, name: string, by: string): Promise<void> => {
  const member = await lock(tx, name)
  if (!member.positions.has(tenant)) throw unknownMember(name)
  await refuseLastOwner(tx, member, tenant)
  await writePosition(tx, member, tenant, null, by)
}

/** Makes the member who added a tenant its first owner; deletes the roles of an earlier tenant with that name. */
export const ownTenant = async (
  tx: Tx,
  tenant: string,
  owner: { id: string; name: string } | undefined,
): Promise<void> => {
  await tx.query(deleteRolesIn, { tenant, now: tx.now })
  if (owner === undefined) return
  const position = { tenant, role: 'owner', ...noMerchant } as const
  await tx.query(upsertRole, { memberId: owner.id, ...position, by: owner.name, now: tx.now })
}

/** Removes the second factor and the passkeys of a member who has lost them, and ends all its sessions. */
export const forgetSecondFactor = async (tx: Tx, name: string, by: string): Promise<void> => {
  const [member] = await tx.query(lockMember, { name })
  if (!member) throw unknownMember(name)
  await tx.query(removeSecondFactor, { memberId: member.id, now: tx.now })
  await tx.query(addVoucher, { memberId: member.id, by, now: tx.now })
  await tx.query(endSessions, { memberId: member.id })
}

/** Revokes the invitation of a name to a tenant; from `main`, to any. Refuses `resource_not_found`. */
export const revokeInvitation = async (tx: Tx, tenant: string, name: string): Promise<void> => {
  const revoked = await tx.query(revokeInvitations, { name, tenant, now: tx.now })
  if (revoked.length === 0) throw new Refusal('resource_not_found', `There is no open invitation of ${name}.`)
}

/** Most members listed for one tenant or the installation. */
const mostMembers = 5000

/**
 * Members and open invitations of a tenant, or of the installation (null), with each member's positions. Lists at most
 * 5,000 of each.
 */
export const listMembers = async (main: Context, tenant: string | null, most: number = mostMembers) => {
  const wanted = { tenant, limit: most + 1 }
  const [found, invited] = await Promise.all([
    main.query(selectMembers, wanted),
    main.query(selectInvitations, { ...wanted, now: main.clock() }),
  ])
  const [members, invitations] = [found.slice(0, most), invited.slice(0, most)]
  const roles = await main.query(selectRoles, { memberIds: members.map(({ id }) => id) })
  const elsewhere = Map.groupBy(roles, ({ memberId }) => memberId)
  const withPositions = members.map(({ role, merchantId, merchantGrant, ...member }) => ({
    ...member,
    positions: [
      ...(role === 'none' ? [] : [{ tenant: mainTenant, role, merchantId, merchantGrant }]),
      ...(elsewhere.get(member.id) ?? []),
    ],
  }))
  return {
    members: withPositions,
    invitations,
    areAll: found.length + invited.length === members.length + invitations.length,
  }
}
