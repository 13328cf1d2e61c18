import type { Context, Tx } from '../../engine/context.ts'
import { refuseField } from '../../rules/refusal.ts'
import { changeMember, forgetSecondFactor, listMembers, revokeInvitation } from '../../engine/members/change-member.ts'
import { invitationLink, inviteMember, type OneTimeLink, resetPassword } from '../../engine/members/invite-member.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { readTokenUses } from '../../engine/token-uses/read.ts'
import { members, type MembersAnswer } from '../../operations/members.ts'
import { actOnBehalf, actOnNamed } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const shownLink = ({ settings }: Context, { token, expiresAt }: OneTimeLink) => ({
  link: invitationLink(settings.publicUrl, token),
  expiresAt,
})

type GivenPosition = Pick<MembersAnswer['invitations'][number], 'role' | 'merchantId' | 'grant'>

/**
 * The position that a request gives. Refuses `resource_not_found`, and `validation_failed` if an operator would get a
 * merchant or grant, or a member of a merchant no merchant.
 */
const readPosition = async (context: Context, { role, merchantId, grant }: GivenPosition) => {
  if (role !== 'merchant') {
    const given = merchantId === undefined ? (grant === undefined ? undefined : 'grant') : 'merchantId'
    if (given !== undefined) throw refuseField(given, 'is for members of a merchant only.')
    return { role, merchantId: null, merchantGrant: null }
  }
  if (merchantId === undefined) throw refuseField('merchantId', 'is required with this role.')
  const { merchant } = await getProfile(context, merchantId)
  return { role, merchantId: merchant.id, merchantGrant: grant ?? ('read' as const) }
}

export const memberRoutes = bindOperations(members.operations, {
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
      isCut: areAll ? null : true,
      members: people.map((member) => ({
        ...{ ...member, grant: member.merchantGrant, hasSecondFactor: member.twoFactorEnabled },
      })),
      invitations: invitations.map((invited) => ({ ...invited, grant: invited.merchantGrant })),
      tokens: operators.map(({ name, role, tokenHash }) => ({ name, role, lastUsedAt: uses.get(tokenHash) })),
    }
  },
  invite: async (context, request) => {
    const { body, operator } = request
    const invited = { name: body.name, email: body.email, ...(await readPosition(context, body)) }
    const link = await actOnBehalf(context, request, (tx) => inviteMember(tx, invited, operator, context), {
      action: 'member.invite',
      subject: `member:${body.name}`,
      details: body,
    })
    return shownLink(context, link)
  },
  uninvite: async (context, request) => {
    const { name } = request.params
    await actOnNamed(context, request, 'member.revoke_invitation', (tx) => revokeInvitation(tx, name))
    return {}
  },
  update: (context, request) => {
    const change = async (tx: Tx) => {
      const { role, merchantGrant: grant, isDisabled } = await changeMember(tx, request.params.name, request.body)
      return { role, grant, isDisabled }
    }
    return actOnNamed(context, request, 'member.update', change, (changed) => changed)
  },
  'reset-password': async (context, request) => {
    const reset = (tx: Tx) => resetPassword(tx, request.params.name, request.operator)
    return shownLink(context, await actOnNamed(context, request, 'member.reset_password', reset))
  },
  'remove-second-factor': async (context, request) => {
    const forget = (tx: Tx) => forgetSecondFactor(tx, request.params.name, request.operator)
    await actOnNamed(context, request, 'member.remove_second_factor', forget)
    return {}
  },
})
