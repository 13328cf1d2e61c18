import { type Static, Type } from '../schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../context.ts'
import { actAudited } from '../../audit/record-acts.ts'
import { merchantGrants } from '../../domain/access.ts'
import { refuseField } from '../../domain/refusal.ts'
import { memberRoles, roles } from '../../domain/role.ts'
import { mainTenant } from '../../domain/tenant.ts'
import {
  changeMember,
  forgetSecondFactor,
  giveRole,
  listMembers,
  type MemberPosition,
  revokeInvitation,
  takeRole,
} from '../../members/change-member.ts'
import { invitationLink, inviteMember, type OneTimeLink, resetPassword } from '../../members/invite-member.ts'
import { getProfile } from '../../merchants/merchant-directory.ts'
import { readTokenUses } from '../../token-uses/read.ts'
import { Id, NoBody, Time, wire } from '../fields.ts'
import { actOnBehalf, actorOf, type RequestedAct } from '../act-on-behalf.ts'
import { MemberEmail, MemberName } from '../member-fields.ts'
import type { Tenants } from '../../tenants/tenants.ts'
import { requireInMain, roleOfToken } from './authenticate-operator.ts'
import { ofAnyMerchant } from './operator-fields.ts'
import { routesOfInstallation } from '../routes.ts'

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

const Tenant = Type.Text('The name used in the header `payin-tenant`.', 'acme')
const memberPosition = { role: Role, ...ofAnyMerchant('Only for a member of a merchant.'), grant: Type.Optional(Grant) }

const LinkAnswer = Type.Titled('OneTimeLink', {
  link: Type.String({ description: 'Works once. Shown only here; not stored.', format: 'uri' }),
  expiresAt: Time,
})

const MembersAnswer = Type.Object({
  members: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...memberPosition,
      role: Type.Optional(Role, 'Role in the tenant of the request; absent if there are only roles in other tenants.'),
      elsewhere: Type.Optional(
        Type.Array(Type.Object({ tenant: Tenant, role: Role }), {
          description: "The account's roles in tenants other than `main`; shown to owners of `main`, in `main`.",
        }),
      ),
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
      tenant: Type.Optional(Tenant, 'The tenant to which the person is invited, if not that of the request.'),
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
export type LinkAnswer = Static<typeof LinkAnswer>

const shownLink = ({ settings }: Context, { token, expiresAt }: OneTimeLink): LinkAnswer => ({
  link: invitationLink(settings.publicUrl, token),
  expiresAt: wire.time(expiresAt),
})

/** The wire form of a member's position. */
const toPosition = ({ role, merchantId, merchantGrant }: MemberPosition) =>
  wire.fields({ role, merchantId, grant: merchantGrant })

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

/** Whether the caller may manage all accounts: an owner of `main`, in `main`. */
const seesAll = ({ tenant, roleInMain }: FastifyRequest): boolean =>
  tenant.tenant === mainTenant && roleInMain === 'owner'

/**
 * Changes accounts or roles, which are in `main`, with an entry in its audit; a request for another tenant then writes
 * one in the audit of that tenant, too. A request that is interrupted in between is sent again.
 */
const actOnAccounts = async <T>(
  { main }: Tenants,
  request: FastifyRequest,
  work: (tx: Tx) => Promise<T>,
  act: RequestedAct<T> & { readonly details: AuditedDetails<T> },
): Promise<T> => {
  const { tenant } = request
  if (tenant === main) return actOnBehalf(main, request, work, act)
  const details = (result: T) => (typeof act.details === 'function' ? act.details(result) : act.details)
  const inMain = (result: T) => ({ ...details(result), tenant: tenant.tenant })
  const result = await actOnBehalf(main, request, work, { ...act, details: inMain })
  const { credential, consoleAccess } = request
  const by = { actor: actorOf(request), credential, sessionId: consoleAccess?.sessionId }
  const entry = { ...by, action: act.action, subject: String(act.subject), details: details(result) }
  await actAudited(
    tenant,
    async () => undefined,
    () => entry,
  )
  return result
}

type AuditedDetails<T> = RequestedAct<T>['details']

/** People with an account of the console: accounts belong to the installation, roles to a tenant. */
export const memberRoutes = routesOfInstallation()

memberRoutes.get('/members', 'read', {
  id: 'listMembers',
  reach: 'tenant',
  summary: 'List the members',
  description:
    'People with an account of the console, with their role in the tenant of the request and whether they have a second factor; also invitations, and tokens of operators. In `main`, its owners see all accounts and invitations of the installation.',
  answer: MembersAnswer,
  exports: 'members',
  handle: async ({ main }, request) => {
    const { tenant } = request.tenant
    const isAll = seesAll(request)
    const operators = main.operators.filter((operator) => roleOfToken(operator, tenant) !== undefined)
    const hashes = operators.map(({ tokenHash }) => tokenHash)
    const [{ members, invitations, areAll }, uses] = await Promise.all([
      listMembers(main, isAll ? null : tenant),
      readTokenUses(main, hashes),
    ])
    return {
      ...(!areAll && { isCut: true }),
      members: members.map(({ name, email, positions, twoFactorEnabled, disabledAt, createdAt, lastSeenAt }) => {
        const position = positions.find((each) => each.tenant === tenant)
        const elsewhere = positions.filter((each) => each !== position)
        return wire.fields({
          ...{ name, email, disabledAt, createdAt, lastSeenAt, hasSecondFactor: twoFactorEnabled },
          ...(position && toPosition(position)),
          ...(isAll && elsewhere.length > 0
            ? { elsewhere: elsewhere.map((each) => ({ tenant: each.tenant, role: each.role })) }
            : {}),
        })
      }),
      invitations: invitations.map(({ name, email, invitedBy, createdAt, expiresAt, ...invited }) =>
        wire.fields({
          ...{ name, email, invitedBy, createdAt, expiresAt, ...toPosition(invited) },
          tenant: invited.tenant === tenant ? null : invited.tenant,
        }),
      ),
      tokens: operators.map(({ name, role, tokenHash }) =>
        wire.fields({ name, role, lastUsedAt: uses.get(tokenHash) ?? null }),
      ),
    }
  },
})

memberRoutes.post('/members/invitations', 'configure', {
  id: 'inviteMember',
  reach: 'tenant',
  summary: 'Invite somebody to create an account of the console',
  description:
    'Send the link to the person through a channel that you trust. Whoever opens it sets the password; the account then ' +
    'needs a second factor. An earlier link for the same name or address stops working. With the role `merchant` it is an ' +
    'account for the portal of the merchant `merchantId`. The role applies only in the tenant of the request.',
  body: {
    name: MemberName,
    email: MemberEmail,
    role: Role,
    merchantId: Type.Optional(Id, 'Only for a member of a merchant.'),
    grant: Type.Optional(Grant, 'Only for a member of a merchant. Default: `read`.'),
  },
  status: 201,
  answer: LinkAnswer,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (tenants, request) => {
    const { body, operator, tenant: context } = request
    const position = { tenant: context.tenant, ...(await readPosition(context, body)) }
    const invited = { name: body.name, email: body.email, ...position }
    const link = await actOnAccounts(tenants, request, (tx) => inviteMember(tx, invited, operator, tenants.main), {
      action: 'member.invite',
      subject: subjectOf(body),
      details: body,
    })
    return shownLink(context, link)
  },
})

memberRoutes.delete('/members/invitations/:name', 'configure', {
  id: 'revokeInvitation',
  reach: 'tenant',
  summary: 'Cancel an invitation',
  description: 'Its link no longer works.',
  params: NameParams,
  answer: {},
  refusals: ['resource_not_found'],
  handle: async (tenants, request) => {
    const { params, tenant } = request
    await actOnAccounts(tenants, request, (tx) => revokeInvitation(tx, tenant.tenant, params.name), {
      action: 'member.revoke_invitation',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})

memberRoutes.patch('/members/:name', 'configure', {
  id: 'updateMember',
  reach: 'tenant',
  summary: 'Change what a member may do, or disable or enable the account',
  description:
    'The role or grant is that in the tenant of the request. Changing it in `main` ends all sessions of the member; in other tenants the change applies from the next request. Disabling an account applies to all tenants and needs an owner of `main`. There must always be an owner. An operator cannot become a member of a merchant, or the reverse.',
  params: NameParams,
  body: {
    role: Type.Optional(OperatorRole),
    grant: Type.Optional(Grant),
    isDisabled: Type.Optional(Type.Boolean()),
  },
  answer: { role: Type.Optional(Role), grant: Type.Optional(Grant), isDisabled: Type.Boolean() },
  refusals: ['resource_not_found', 'invalid_state'],
  handle: async (tenants, request) => {
    const { params, body, tenant, operator } = request
    if (body.isDisabled !== undefined) requireInMain(request, 'configure')
    const change = async (tx: Tx) => {
      const { merchantGrant, role, isDisabled } = await changeMember(tx, tenant.tenant, params.name, body, operator)
      return wire.fields({ role: role ?? null, grant: merchantGrant, isDisabled })
    }
    return actOnAccounts(tenants, request, change, {
      action: 'member.update',
      subject: subjectOf(params),
      details: (changed) => changed,
    })
  },
})

memberRoutes.put('/members/:name/role', 'configure', {
  id: 'giveRole',
  reach: 'tenant',
  summary: 'Give an existing account a role in this tenant, or change its role',
  description:
    'For a person who already has an account of the console; invite others. In tenants other than `main`, `email` must be the address of that account, unless you are also an owner of `main`.',
  params: NameParams,
  body: {
    role: OperatorRole,
    email: Type.Optional(MemberEmail, 'The address of the account, to confirm that it is the one you mean.'),
  },
  answer: { role: OperatorRole },
  refusals: ['resource_not_found', 'invalid_state'],
  handle: async (tenants, request) => {
    const { params, body, tenant, operator, roleInMain } = request
    const { role, email } = body
    if (email === undefined && roleInMain !== 'owner')
      throw refuseField('validation_failed', 'email', 'is required: the address of the account.')
    const give = (tx: Tx) => giveRole(tx, tenant.tenant, { name: params.name, email, role }, operator)
    await actOnAccounts(tenants, request, give, {
      action: 'member.give_role',
      subject: subjectOf(params),
      details: { role },
    })
    return { role }
  },
})

memberRoutes.delete('/members/:name/role', 'configure', {
  id: 'takeRole',
  reach: 'tenant',
  summary: "Remove a member's role in this tenant",
  description:
    'The account stays, with its roles in other tenants. There must always be an owner. Members of a merchant lose access to its data.',
  params: NameParams,
  answer: {},
  refusals: ['resource_not_found', 'invalid_state'],
  handle: async (tenants, request) => {
    const { params, tenant, operator } = request
    await actOnAccounts(tenants, request, (tx) => takeRole(tx, tenant.tenant, params.name, operator), {
      action: 'member.take_role',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})

memberRoutes.post('/members/:name/password-link', 'configure', {
  id: 'resetMemberPassword',
  reach: 'installation',
  summary: 'Create a link with which a member sets a new password',
  description:
    'All sessions of the member end now. The second factor stays. Accounts belong to `main`: this needs an owner there.',
  params: NameParams,
  body: NoBody,
  status: 201,
  answer: LinkAnswer,
  refusals: ['resource_not_found'],
  handle: async ({ main }, request) => {
    const { params, operator } = request
    const link = await actOnBehalf(main, request, (tx) => resetPassword(tx, params.name, operator), {
      action: 'member.reset_password',
      subject: subjectOf(params),
      details: {},
    })
    return shownLink(main, link)
  },
})

memberRoutes.post('/members/:name/remove-second-factor', 'configure', {
  id: 'removeSecondFactor',
  reach: 'installation',
  summary: 'Remove the second factor and the passkeys of a member who has lost them',
  description:
    'All sessions of the member end. The next sign-in asks to set up a new second factor. Needs an owner of `main`.',
  params: NameParams,
  body: NoBody,
  answer: {},
  refusals: ['resource_not_found'],
  handle: async ({ main }, request) => {
    const { params, operator } = request
    await actOnBehalf(main, request, (tx) => forgetSecondFactor(tx, params.name, operator), {
      action: 'member.remove_second_factor',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})
