import { type Static, Type } from 'typebox'
import type { Context, Tx } from '../../context.ts'
import { merchantGrants } from '../../domain/access.ts'
import { refuseField } from '../../domain/refusal.ts'
import { memberRoles, roles } from '../../domain/role.ts'
import { changeMember, forgetSecondFactor, listMembers, revokeInvitation } from '../../members/change-member.ts'
import {
  invitationLink,
  type Invited,
  inviteMember,
  type OneTimeLink,
  resetPassword,
} from '../../members/invite-member.ts'
import { getProfile } from '../../merchants/merchant-directory.ts'
import { readTokenUses } from '../../token-uses/read.ts'
import { Id, NoBody, OneOf, Time, wireTime, withoutNulls } from '../fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { MemberEmail, MemberName } from '../member-fields.ts'
import { routesForOperators } from '../routes.ts'
import { ofAnyMerchant } from './operator-fields.ts'

const NameParams = Type.Object({ name: MemberName })
const OperatorRole = OneOf(roles, {
  title: 'OperatorRole',
  description: 'What an operator may do, as `x-roles` of each operation says.',
})
const Role = OneOf(memberRoles, {
  title: 'MemberRole',
  description:
    '`merchant`: a member of one merchant, who sees its data only. Else what an operator may do, as `x-roles` of each operation says.',
})
const Grant = OneOf(merchantGrants, {
  title: 'MerchantGrant',
  description: 'What a member of a merchant may do: look, or change, too.',
})

const position = { role: Role, ...ofAnyMerchant('Of a member of a merchant.'), grant: Type.Optional(Grant) }

const LinkAnswer = Type.Object(
  {
    link: Type.String({ description: 'Good once. Shown only here; not stored.', format: 'uri' }),
    expiresAt: Time,
  },
  { title: 'OneTimeLink' },
)

const MembersAnswer = Type.Object({
  members: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...position,
      hasSecondFactor: Type.Boolean({ description: 'Without one, a member can do nothing but set it up.' }),
      disabledAt: Type.Optional(Time),
      createdAt: Time,
      lastSeenAt: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'When the member last used the console, as long as that session lasts.',
        }),
      ),
    }),
  ),
  invitations: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...position,
      invitedBy: Type.String(),
      createdAt: Time,
      expiresAt: Time,
    }),
  ),
  tokens: Type.Array(
    Type.Object({
      name: Type.String(),
      role: OperatorRole,
      lastUsedAt: Type.Optional({ ...Time, description: 'To the minute; absent: never.' }),
    }),
    { description: 'Operators whose tokens are in the settings.' },
  ),
})

/** Members and open invitations. */
export type MembersAnswer = Static<typeof MembersAnswer>
/** A link that is good once. */
export type LinkAnswer = Static<typeof LinkAnswer>

const shownLink = ({ settings }: Context, { token, expiresAt }: OneTimeLink): LinkAnswer => ({
  link: invitationLink(settings.publicUrl, token),
  expiresAt: wireTime(expiresAt),
})

/** What a member is, as the wire has it. */
const toPosition = ({ role, merchantId, merchantGrant }: Pick<Invited, 'role' | 'merchantId' | 'merchantGrant'>) =>
  withoutNulls({ role, merchantId, grant: merchantGrant })

type GivenPosition = Pick<Static<typeof MembersAnswer>['members'][number], 'role' | 'merchantId' | 'grant'>

/** Whose member somebody becomes; refuses `resource_not_found`, and `validation_failed` for a merchant of an operator. */
const readPosition = async (context: Context, { role, merchantId, grant }: GivenPosition) => {
  if (role !== 'merchant') {
    const given = merchantId === undefined ? (grant === undefined ? undefined : 'grant') : 'merchantId'
    if (given !== undefined) throw refuseField('validation_failed', given, 'is of members of a merchant only.')
    return { role, merchantId: null, merchantGrant: null }
  }
  if (merchantId === undefined) throw refuseField('validation_failed', 'merchantId', 'is needed with this role.')
  const { merchant } = await getProfile(context, merchantId)
  return { role, merchantId: merchant.id, merchantGrant: grant ?? ('read' as const) }
}

const subjectOf = ({ name }: { readonly name: string }): string => `member:${name}`

/** People with an account of the console. */
export const memberRoutes = routesForOperators()

memberRoutes.get('/members', {
  id: 'listMembers',
  duty: 'read',
  summary: 'List the members: people with an account of the console, who is invited, and tokens of operators',
  description: 'With their roles, and whether they have a second factor.',
  answer: MembersAnswer,
  handle: async (context) => {
    const { operators } = context
    const [{ members, invitations }, uses] = await Promise.all([
      listMembers(context),
      readTokenUses(
        context,
        operators.map(({ tokenHash }) => tokenHash),
      ),
    ])
    return {
      members: members.map(({ name, email, twoFactorEnabled, disabledAt, createdAt, lastSeenAt, ...member }) => ({
        name,
        email,
        ...toPosition(member),
        hasSecondFactor: twoFactorEnabled,
        ...(disabledAt === null ? {} : { disabledAt: wireTime(disabledAt) }),
        createdAt: wireTime(createdAt),
        ...(lastSeenAt === null ? {} : { lastSeenAt: wireTime(lastSeenAt) }),
      })),
      invitations: invitations.map(({ name, email, invitedBy, createdAt, expiresAt, ...invited }) => ({
        name,
        email,
        ...toPosition(invited),
        invitedBy,
        createdAt: wireTime(createdAt),
        expiresAt: wireTime(expiresAt),
      })),
      tokens: operators.map(({ name, role, tokenHash }) =>
        withoutNulls({ name, role, lastUsedAt: wireTime(uses.get(tokenHash) ?? null) }),
      ),
    }
  },
})

memberRoutes.post('/members/invitations', {
  id: 'inviteMember',
  duty: 'configure',
  summary: 'Invite somebody to make an account of the console',
  description:
    'Send the link to the person over a channel that you trust. Whoever opens it sets the password; then the account ' +
    'needs a second factor. An earlier link for the same name or address ends. With the role `merchant` it is an ' +
    'account for the portal of the merchant `merchantId`.',
  body: {
    name: MemberName,
    email: MemberEmail,
    role: Role,
    merchantId: Type.Optional({ ...Id, description: 'Of a member of a merchant.' }),
    grant: Type.Optional({ ...Grant, description: 'Of a member of a merchant. Default: `read`.' }),
  },
  status: 201,
  answer: LinkAnswer,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (context, request) => {
    const { body, operator } = request
    const invited = { name: body.name, email: body.email, ...(await readPosition(context, body)) }
    const link = await actOnBehalf(context, request, (tx) => inviteMember(tx, invited, operator), {
      action: 'member.invite',
      subject: subjectOf(body),
      details: body,
    })
    return shownLink(context, link)
  },
})

memberRoutes.delete('/members/invitations/:name', {
  id: 'revokeInvitation',
  duty: 'configure',
  summary: 'Take an invitation back',
  description: 'Its link no longer works.',
  params: NameParams,
  answer: {},
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { params } = request
    await actOnBehalf(context, request, (tx) => revokeInvitation(tx, params.name), {
      action: 'member.revoke_invitation',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})

memberRoutes.patch('/members/:name', {
  id: 'updateMember',
  duty: 'configure',
  summary: 'Change what a member may do, disable or enable it',
  description:
    'All sessions of the member end. There is always an owner. An operator never becomes a member of a merchant, nor the reverse.',
  params: NameParams,
  body: {
    role: Type.Optional(OperatorRole),
    grant: Type.Optional(Grant),
    isDisabled: Type.Optional(Type.Boolean()),
  },
  answer: { role: Role, grant: Type.Optional(Grant), isDisabled: Type.Boolean() },
  refusals: ['resource_not_found', 'invalid_state'],
  handle: async (context, request) => {
    const { params, body } = request
    const change = async (tx: Tx) => {
      const { merchantGrant: grant, ...changed } = await changeMember(tx, params.name, body)
      return withoutNulls({ ...changed, grant })
    }
    return actOnBehalf(context, request, change, {
      action: 'member.update',
      subject: subjectOf(params),
      details: (changed) => changed,
    })
  },
})

memberRoutes.post('/members/:name/password-link', {
  id: 'resetMemberPassword',
  duty: 'configure',
  summary: 'Let a member set a new password by a link',
  description: 'All sessions of the member end now. The second factor stays.',
  params: NameParams,
  body: NoBody,
  status: 201,
  answer: LinkAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { params, operator } = request
    const link = await actOnBehalf(context, request, (tx) => resetPassword(tx, params.name, operator), {
      action: 'member.reset_password',
      subject: subjectOf(params),
      details: {},
    })
    return shownLink(context, link)
  },
})

memberRoutes.post('/members/:name/remove-second-factor', {
  id: 'removeSecondFactor',
  duty: 'configure',
  summary: 'Remove the second factor and the passkeys of a member who has lost them',
  description: 'All sessions of the member end. The next sign-in asks to set up another one.',
  params: NameParams,
  body: NoBody,
  answer: {},
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { params } = request
    await actOnBehalf(context, request, (tx) => forgetSecondFactor(tx, params.name), {
      action: 'member.remove_second_factor',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})
