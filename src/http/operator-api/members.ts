import { type Static, Type } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { merchantGrants } from '../../rules/members/access.ts'
import { refuseField } from '../../rules/refusal.ts'
import { memberRoles, roles } from '../../rules/members/role.ts'
import { changeMember, forgetSecondFactor, listMembers, revokeInvitation } from '../../engine/members/change-member.ts'
import { invitationLink, inviteMember, type OneTimeLink, resetPassword } from '../../engine/members/invite-member.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { readTokenUses } from '../../engine/token-uses/read.ts'
import { Id, NoBody, Time, wire } from '../../operations/fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { MemberEmail, MemberName } from '../member-fields.ts'
import { ofAnyMerchant } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'

const NameParams = Type.Object({ name: MemberName })
const OperatorRole = Type.OneOf(roles, {
  title: 'OperatorRole',
  description: 'What an operator may do; see `x-roles` of each operation.',
})
const Role = Type.OneOf(memberRoles, {
  title: 'MemberRole',
  description:
    '`merchant`: a member of one merchant, who sees only its data. Otherwise what an operator may do; see `x-roles` of each operation.',
})
const Grant = Type.OneOf(merchantGrants, {
  title: 'MerchantGrant',
  description: 'What a member of a merchant may do: only read, or also change.',
})

const memberPosition = { role: Role, ...ofAnyMerchant('Only for a member of a merchant.'), grant: Type.Optional(Grant) }

const OneTimeLinkAnswer = Type.Titled('OneTimeLink', {
  link: Type.String({ description: 'Works once. Shown only here; not stored.', format: 'uri' }),
  expiresAt: Time,
})

const MembersAnswer = Type.Object({
  members: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...memberPosition,
      hasSecondFactor: Type.Flag('Without one, a member can only set one up.'),
      disabledAt: Type.Optional(Time),
      createdAt: Time,
      lastSeenAt: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'When the member last used the console; absent once that session has ended.',
        }),
      ),
    }),
  ),
  invitations: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...memberPosition,
      invitedBy: Type.String(),
      createdAt: Time,
      expiresAt: Time,
    }),
  ),
  tokens: Type.Rows('Operators with tokens in the settings.', {
    name: Type.String(),
    role: OperatorRole,
    lastUsedAt: Type.Optional(Time, 'To the minute; absent: never.'),
  }),
  isCut: Type.Optional(Type.Flag('Whether some are left out: at most 5,000 members and invitations are listed.')),
})

/** Members and open invitations. */
export type MembersAnswer = Static<typeof MembersAnswer>
/** A link that works once. */
export type OneTimeLinkAnswer = Static<typeof OneTimeLinkAnswer>

const shownLink = ({ settings }: Context, { token, expiresAt }: OneTimeLink): OneTimeLinkAnswer => ({
  link: invitationLink(settings.publicUrl, token),
  expiresAt: wire.time(expiresAt),
})

type GivenPosition = Pick<Static<typeof MembersAnswer>['invitations'][number], 'role' | 'merchantId' | 'grant'>

/**
 * The position that a request gives. Refuses `resource_not_found`, and `validation_failed` if an operator would get a
 * merchant or grant, or a member of a merchant no merchant.
 */
const readPosition = async (context: Context, { role, merchantId, grant }: GivenPosition) => {
  if (role !== 'merchant') {
    const given = merchantId === undefined ? (grant === undefined ? undefined : 'grant') : 'merchantId'
    if (given !== undefined) throw refuseField('validation_failed', given, 'is for members of a merchant only.')
    return { role, merchantId: null, merchantGrant: null }
  }
  if (merchantId === undefined) throw refuseField('validation_failed', 'merchantId', 'is required with this role.')
  const { merchant } = await getProfile(context, merchantId)
  return { role, merchantId: merchant.id, merchantGrant: grant ?? ('read' as const) }
}

const subjectOf = ({ name }: { readonly name: string }): string => `member:${name}`

/** People with an account of the console. */
export const memberRoutes = routesForOperators()

memberRoutes.get('/members', 'read', {
  id: 'listMembers',
  summary: 'List the members',
  description:
    'People with an account of the console, with their role and whether they have a second factor; also invitations, and tokens of operators.',
  answer: MembersAnswer,
  exports: 'members',
  handle: async (context) => {
    const { operators } = context
    const [{ members, invitations, areAll }, uses] = await Promise.all([
      listMembers(context),
      readTokenUses(
        context,
        operators.map(({ tokenHash }) => tokenHash),
      ),
    ])
    return {
      ...(!areAll && { isCut: true }),
      members: members.map(({ id: _, merchantGrant: grant, twoFactorEnabled: hasSecondFactor, ...member }) =>
        wire.fields({ ...member, grant, hasSecondFactor }),
      ),
      invitations: invitations.map(({ memberId: _, merchantGrant: grant, ...invited }) =>
        wire.fields({ ...invited, grant }),
      ),
      tokens: operators.map(({ name, role, tokenHash }) =>
        wire.fields({ name, role, lastUsedAt: uses.get(tokenHash) ?? null }),
      ),
    }
  },
})

memberRoutes.post('/members/invitations', 'configure', {
  id: 'inviteMember',
  summary: 'Invite somebody to create an account of the console',
  description:
    'Send the link to the person through a channel that you trust. Whoever opens it sets the password; the account then ' +
    'needs a second factor. An earlier link for the same name or address stops working. With the role `merchant` it is an ' +
    'account for the portal of the merchant `merchantId`.',
  body: {
    name: MemberName,
    email: MemberEmail,
    role: Role,
    merchantId: Type.Optional(Id, 'Only for a member of a merchant.'),
    grant: Type.Optional(Grant, 'Only for a member of a merchant. Default: `read`.'),
  },
  status: 201,
  answer: OneTimeLinkAnswer,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (context, request) => {
    const { body, operator } = request
    const invited = { name: body.name, email: body.email, ...(await readPosition(context, body)) }
    const link = await actOnBehalf(context, request, (tx) => inviteMember(tx, invited, operator, context), {
      action: 'member.invite',
      subject: subjectOf(body),
      details: body,
    })
    return shownLink(context, link)
  },
})

memberRoutes.delete('/members/invitations/:name', 'configure', {
  id: 'revokeInvitation',
  summary: 'Cancel an invitation',
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

memberRoutes.patch('/members/:name', 'configure', {
  id: 'updateMember',
  summary: 'Change what a member may do, or disable or enable the account',
  description:
    'All sessions of the member end. There must always be an owner. An operator cannot become a member of a merchant, or the reverse.',
  params: NameParams,
  body: {
    role: Type.Optional(OperatorRole),
    grant: Type.Optional(Grant),
    isDisabled: Type.Optional(Type.Boolean()),
  },
  answer: { role: Role, grant: Type.Optional(Grant), isDisabled: Type.Boolean() },
  refusals: ['resource_not_found', 'invalid_state'],
  handle: (context, request) => {
    const { params, body } = request
    const change = async (tx: Tx) => {
      const { role, merchantGrant, isDisabled } = await changeMember(tx, params.name, body)
      return wire.fields({ role, grant: merchantGrant, isDisabled })
    }
    return actOnBehalf(context, request, change, {
      action: 'member.update',
      subject: subjectOf(params),
      details: (changed) => changed,
    })
  },
})

memberRoutes.post('/members/:name/password-link', 'configure', {
  id: 'resetMemberPassword',
  summary: 'Create a link with which a member sets a new password',
  description: 'All sessions of the member end now. The second factor stays.',
  params: NameParams,
  body: NoBody,
  status: 201,
  answer: OneTimeLinkAnswer,
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

memberRoutes.post('/members/:name/remove-second-factor', 'configure', {
  id: 'removeSecondFactor',
  summary: 'Remove the second factor and the passkeys of a member who has lost them',
  description: 'All sessions of the member end. The next sign-in asks to set up a new second factor.',
  params: NameParams,
  body: NoBody,
  answer: {},
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { params, operator } = request
    await actOnBehalf(context, request, (tx) => forgetSecondFactor(tx, params.name, operator), {
      action: 'member.remove_second_factor',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})
