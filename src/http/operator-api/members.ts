import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { roles } from '../../domain/role.ts'
import { changeMember, forgetSecondFactor, listMembers, revokeInvitation } from '../../members/change-member.ts'
import { invitationLink, inviteMember, type OneTimeLink, resetPassword } from '../../members/invite-member.ts'
import { NoBody, OneOf, Time, wireTime } from '../fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { MemberEmail, MemberName } from '../member-fields.ts'
import { routesForOperators } from '../routes.ts'

const NameParams = Type.Object({ name: MemberName })
const Role = OneOf(roles, { description: 'What the member may do: docs/roles.md.' })

const LinkAnswer = Type.Object({
  link: Type.String({ description: 'Good once. Shown only here; not stored.', format: 'uri' }),
  expiresAt: Time,
})

const MembersAnswer = Type.Object({
  members: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      role: Role,
      hasSecondFactor: Type.Boolean({ description: 'Without one, a member can do nothing but set it up.' }),
      disabledAt: Type.Optional(Time),
      createdAt: Time,
      lastSeenAt: Type.Optional(
        Type.String({ format: 'date-time', description: 'The last sign-in or code, as long as that session lasts.' }),
      ),
    }),
  ),
  invitations: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      role: Role,
      invitedBy: Type.String(),
      createdAt: Time,
      expiresAt: Time,
    }),
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

const subjectOf = ({ name }: { readonly name: string }): string => `member:${name}`

/** People with an account of the console. */
export const memberRoutes = routesForOperators()

memberRoutes.get('/members', {
  id: 'listMembers',
  duty: 'read',
  summary: 'List the members: people with an account of the console, and who is invited',
  answer: MembersAnswer,
  handle: async (context) => {
    const { members, invitations } = await listMembers(context)
    return {
      members: members.map(({ name, email, role, twoFactorEnabled, disabledAt, createdAt, lastSeenAt }) => ({
        name,
        email,
        role,
        hasSecondFactor: twoFactorEnabled,
        ...(disabledAt === null ? {} : { disabledAt: wireTime(disabledAt) }),
        createdAt: wireTime(createdAt),
        ...(lastSeenAt === null ? {} : { lastSeenAt: wireTime(lastSeenAt) }),
      })),
      invitations: invitations.map(({ createdAt, expiresAt, ...rest }) => ({
        ...rest,
        createdAt: wireTime(createdAt),
        expiresAt: wireTime(expiresAt),
      })),
    }
  },
})

memberRoutes.post('/members/invitations', {
  id: 'inviteMember',
  duty: 'configure',
  summary: 'Invite somebody to make an account of the console',
  description:
    'Send the link to the person over a channel that you trust. Whoever opens it sets the password; then the account ' +
    'needs a second factor. An earlier link for the same name or address ends.',
  body: { name: MemberName, email: MemberEmail, role: Role },
  status: 201,
  answer: LinkAnswer,
  refusals: ['already_exists'],
  handle: async (context, request) => {
    const { body, operator } = request
    const link = await actOnBehalf(context, request, (tx) => inviteMember(tx, body, operator), {
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
  summary: 'Change the role of a member, disable or enable it',
  description: 'All sessions of the member end. There is always an owner.',
  params: NameParams,
  body: { role: Type.Optional(Role), isDisabled: Type.Optional(Type.Boolean()) },
  answer: { role: Role, isDisabled: Type.Boolean() },
  refusals: ['resource_not_found', 'invalid_state'],
  handle: (context, request) => {
    const { params, body } = request
    return actOnBehalf(context, request, (tx) => changeMember(tx, params.name, body), {
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
