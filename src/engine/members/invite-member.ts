import { hasActedWithToken } from '../audit/read.ts'
import { recordActs } from '../audit/record-acts.ts'
import type { Context, Tx } from '../context.ts'
import { Misconfigured, Refusal } from '../../rules/refusal.ts'
import { type MerchantGrant, isNameOfService, mayDo, type MemberRole } from '../../rules/members/access.ts'
import { memberActor } from '../../rules/members/member.ts'
import { day, hour, type Instant } from '../../rules/time.ts'
import { lockAdding } from 'payin-database'
import { hashText } from '../../secrets/hashes.ts'
import { generateOneTimeToken } from '../../secrets/one-time-token.ts'
import {
  addVoucher,
  endSessions,
  findInvitation,
  findMembers,
  findPeople,
  hasMembers,
  insertInvitation,
  insertMember,
  takeInvitation,
  upsertPassword,
} from './store.ts'
import { authOf } from './find-member.ts'

/** How long an invitation, or a link to set a new password, is valid. */
const goodForMs = { invitation: 7 * day, firstOwner: day, reset: hour }

/** Who has made the link for the first owner. */
const ofService = 'service'

/** A person who may create an account, or set a new password for the account with that name. */
export type Invited = {
  readonly name: string
  readonly email: string
  readonly role: MemberRole
  /** Whose data a member of a merchant sees, and what it may do; null for operators. */
  readonly merchantId: string | null
  readonly merchantGrant: MerchantGrant | null
}

/** The token of a link that is valid once. */
export type OneTimeLink = { readonly token: string; readonly expiresAt: Instant }

/** The address of the page that a token opens: the token follows the #, so that no log and no proxy sees it. */
export const invitationLink = (publicUrl: string, token: string): string => `${publicUrl}/console/invitation#${token}`

const makeLink = async (
  tx: Tx,
  invited: Invited & { readonly memberId: string | null },
  invitedBy: string,
  forMs: number,
): Promise<OneTimeLink> => {
  const { token, hash } = generateOneTimeToken()
  const expiresAt = tx.now + forMs
  await tx.query(insertInvitation, { ...invited, invitedBy, tokenHash: hash, createdAt: tx.now, expiresAt })
  return { token, expiresAt }
}

/** Accounts, tokens and what acts automatically never share a name: what one did must not look like an act of another. */
const refuseReservedName = async (tx: Tx, name: string, { operators }: Pick<Context, 'operators'>): Promise<void> => {
  if (isNameOfService(name))
    throw new Refusal(
      'already_exists',
      `${name} is what events call something that acts automatically: choose another name.`,
    )
  const isToken = operators.some((each) => each.name === name)
  if (isToken || (await hasActedWithToken(tx, name)))
    throw new Refusal('already_exists', `${name} is the name of an operator's token: choose another one.`)
}

/** Refuses to start with operators' tokens that have the name of an account; see `refuseReservedName`. */
export const refuseTokensOfAccounts = async (context: Pick<Context, 'query' | 'operators'>): Promise<void> => {
  const [taken] = await context.query(findPeople, { names: context.operators.map(({ name }) => name) })
  if (taken)
    throw new Misconfigured(
      `PAYIN_OPERATOR_TOKENS gives a token to ${taken.name}, who has an account of the console. An account and a token never share a name, so that nobody counts as two people: give the token another name, such as ${taken.name}-cli.`,
    )
}

const refuseKnown = async (tx: Tx, name: string, email: string): Promise<void> => {
  const [known] = await tx.query(findMembers, { names: [name], email })
  if (known) throw new Refusal('already_exists', `${known.name} has an account with the address ${known.email}.`)
}

/**
 * Invites somebody to create an account; earlier links for the name or the address end. Refuses `already_exists` if a
 * member or, for the name, an operator's token has one of them, or the name is reserved.
 */
export const inviteMember = async (
  tx: Tx,
  invited: Invited,
  invitedBy: string,
  tokens: Pick<Context, 'operators'>,
): Promise<OneTimeLink> => {
  const email = invited.email.toLowerCase()
  // One at a time: of two concurrent invitations for one person, neither would see the other's link.
  await lockAdding(tx, 'members')
  await refuseReservedName(tx, invited.name, tokens)
  await refuseKnown(tx, invited.name, email)
  return makeLink(tx, { ...invited, email, memberId: null }, invitedBy, goodForMs.invitation)
}

/**
 * Lets a member set a new password by a link. All its sessions end immediately; the second factor stays. Refuses
 * `resource_not_found`.
 */
export const resetPassword = async (tx: Tx, name: string, by: string): Promise<OneTimeLink> => {
  const [member] = await tx.query(findMembers, { names: [name], email: '' })
  if (!member) throw new Refusal('resource_not_found', `There is no member ${name}.`)
  await lockAdding(tx, 'members')
  await tx.query(endSessions, { memberId: member.id })
  const { id: memberId, disabledAt: _, ...known } = member
  return makeLink(tx, { ...known, memberId }, by, goodForMs.reset)
}

/** Whether somebody may still invite: the service itself, a token or an account. */
const mayInvite = async (context: Context, by: string): Promise<boolean> => {
  if (by === ofService) return true
  const [account] = await context.query(findMembers, { names: [by], email: '' })
  const known = account?.disabledAt === null ? account : context.operators.find(({ name }) => name === by)
  return known !== undefined && known.role !== 'merchant' && mayDo(known.role, 'configure')
}

/** The person that a link is for; undefined if it is not valid, or no longer. */
export const readInvitation = async (context: Context, token: string): Promise<Invited | undefined> => {
  const [found] = await context.query(findInvitation, { tokenHash: hashText(token), now: context.clock() })
  return found && (await mayInvite(context, found.invitedBy)) ? found : undefined
}

/** What somebody enters to accept an invitation: name and address only if the link leaves them open. */
export type Acceptance = {
  readonly token: string
  readonly password: string
  readonly name?: string | undefined
  readonly email?: string | undefined
}

const addMember = async (
  tx: Tx,
  added: Invited & { readonly id: string; readonly invitedBy: string },
): Promise<void> => {
  const { id, name, email, role, merchantId, merchantGrant, invitedBy: vouchedBy } = added
  const member = { id, name, email, role, merchantId, merchantGrant, vouchedBy, now: tx.now }
  const rows = await tx.query(insertMember, member)
  if (rows.length === 0) throw new Refusal('already_exists', `${name} or ${email} has been given an account meanwhile.`)
}

/**
 * Sets the password of the person that a link is for, and creates the account if it does not exist. Does not sign
 * anybody in: that requires the password, and then the second factor. Undefined if the link is not valid, or no longer.
 * Refuses `validation_failed` if the link leaves name and address open and they are missing, and `already_exists` if a
 * member has one of them.
 */
export const acceptInvitation = async (context: Context, given: Acceptance): Promise<Invited | undefined> => {
  // Checked before the password work, which anybody could otherwise cause without a link.
  if (!(await readInvitation(context, given.token))) return undefined
  const { $context } = await authOf(context)
  const password = await (await $context).password.hash(given.password)
  return context.transaction(async (tx) => {
    const [taken] = await tx.query(takeInvitation, { tokenHash: hashText(given.token), now: tx.now })
    if (!taken) return undefined
    const name = taken.name || given.name
    const email = taken.email || given.email?.toLowerCase()
    if (name === undefined || email === undefined)
      throw new Refusal('validation_failed', 'This link also needs your name and e-mail address.')
    const memberId = taken.memberId ?? tx.newId()
    if (taken.memberId === null) {
      await refuseReservedName(tx, name, context)
      await refuseKnown(tx, name, email)
      await addMember(tx, { ...taken, id: memberId, name, email })
    } else {
      await tx.query(endSessions, { memberId })
      await tx.query(addVoucher, { memberId, by: taken.invitedBy, now: tx.now })
    }
    await tx.query(upsertPassword, { id: tx.newId(), memberId, password, now: tx.now })
    const action = taken.memberId === null ? 'member.invitation_accepted' : 'member.password_set'
    const details = { linkBy: taken.invitedBy }
    await recordActs(tx, [{ actor: memberActor({ ...taken, name }), action, subject: `member:${name}`, details }])
    return { ...taken, name, email }
  })
}

/** A link for the first owner of a new installation without accounts; a later start creates another one. */
export const inviteFirstOwner = (context: Context): Promise<OneTimeLink | undefined> =>
  context.transaction(async (tx) => {
    const [known] = await tx.query(hasMembers, {})
    if (known?.has) return undefined
    // Whoever opens it enters the name and the address.
    const owner = { role: 'owner', merchantId: null, merchantGrant: null } as const
    return makeLink(tx, { memberId: null, name: '', email: '', ...owner }, ofService, goodForMs.firstOwner)
  })
