import type { Context, Tx } from '../../engine/context.ts'
import { refuseField } from '../../rules/refusal.ts'
import { changeMember, forgetSecondFactor, listMembers, revokeInvitation } from '../../engine/members/change-member.ts'
import { invitationLink, inviteMember, type OneTimeLink, resetPassword } from '../../engine/members/invite-member.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { readTokenUses } from '../../engine/token-uses/read.ts'
import { wire } from '../../operations/fields.ts'
import { members, type MembersAnswer, type OneTimeLinkAnswer } from '../../operations/members.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { bindNoun } from '../routes/bind-noun.ts'

const shownLink = ({ settings }: Context, { token, expiresAt }: OneTimeLink): OneTimeLinkAnswer => ({
  link: invitationLink(settings.publicUrl, token),
  expiresAt: wire.time(expiresAt),
})

type GivenPosition = Pick<MembersAnswer['invitations'][number], 'role' | 'merchantId' | 'grant'>

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

export const memberRoutes = bindNoun(members, {
  list: async (context) => {
    const { operators } = context
    const [{ members: people, invitations, areAll }, uses] = await Promise.all([
      listMembers(context),
      readTokenUses(
        context,
        operators.map(({ tokenHash }) => tokenHash),
      ),
    ])
    return {
      ...(!areAll && { isCut: true }),
      members: people.map(({ id: _, merchantGrant: grant, twoFactorEnabled: hasSecondFactor, ...member }) =>
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
  invite: async (context, request) => {
    const { body, operator } = request
    const invited = { name: body.name, email: body.email, ...(await readPosition(context, body)) }
    const link = await actOnBehalf(context, request, (tx) => inviteMember(tx, invited, operator, context), {
      action: 'member.invite',
      subject: subjectOf(body),
      details: body,
    })
    return shownLink(context, link)
  },
  uninvite: async (context, request) => {
    const { params } = request
    await actOnBehalf(context, request, (tx) => revokeInvitation(tx, params.name), {
      action: 'member.revoke_invitation',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
  update: (context, request) => {
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
  'reset-password': async (context, request) => {
    const { params, operator } = request
    const link = await actOnBehalf(context, request, (tx) => resetPassword(tx, params.name, operator), {
      action: 'member.reset_password',
      subject: subjectOf(params),
      details: {},
    })
    return shownLink(context, link)
  },
  'remove-second-factor': async (context, request) => {
    const { params, operator } = request
    await actOnBehalf(context, request, (tx) => forgetSecondFactor(tx, params.name, operator), {
      action: 'member.remove_second_factor',
      subject: subjectOf(params),
      details: {},
    })
    return {}
  },
})
