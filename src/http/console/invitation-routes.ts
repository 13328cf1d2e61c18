import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { passwordLength } from '../../domain/member.ts'
import { memberRoles } from '../../domain/role.ts'
import { acceptInvitation, readInvitation } from '../../members/invite-member.ts'
import type { App } from '../app.ts'
import { Exact, OneOf } from '../fields.ts'
import { MemberEmail, MemberName } from '../member-fields.ts'

const Token = Type.String({ minLength: 43, maxLength: 43 })
const Invited = Type.Object({ name: Type.String(), email: Type.String(), role: OneOf(memberRoles) })

const Acceptance = Exact({
  token: Token,
  password: Type.String({ minLength: passwordLength.least, maxLength: passwordLength.most }),
  // Where the link leaves them open: that of the first owner does.
  name: Type.Optional(MemberName),
  email: Type.Optional(MemberEmail),
})

const toAnswer = ({ name, email, role }: Readonly<Static<typeof Invited>>) => ({ name, email, role })

const ended = (): Refusal =>
  new Refusal('resource_not_found', 'This link has been used, has ended, or is not whole. Ask for another one.')

/** What the page of an invitation asks; the token of the link is all that it needs. */
export const registerInvitationRoutes = (app: App, context: Context): void => {
  app.post(
    '/console/invitations/show',
    { schema: { hide: true, body: Exact({ token: Token }), response: { 200: Invited } } },
    async (request) => {
      const invited = await readInvitation(context, request.body.token)
      if (!invited) throw ended()
      return toAnswer(invited)
    },
  )
  app.post(
    '/console/invitations/accept',
    { schema: { hide: true, body: Acceptance, response: { 200: Invited } } },
    async (request) => {
      const invited = await acceptInvitation(context, request.body)
      if (!invited) throw ended()
      return toAnswer(invited)
    },
  )
}
