import { roles } from '../rules/members/access.ts'
import { operation } from './operation.ts'
import { type Static, Type } from './schema.ts'

const OperatorAnswer = Type.Titled('OperatorCaller', {
  name: Type.Text('The name by which events, notes and the audit call the operator.'),
  role: Type.OneOf(roles, 'What the operator may do; see `x-roles` of each operation.'),
})
export type OperatorAnswer = Static<typeof OperatorAnswer>

export const ownAccount = {
  whoami: operation('GET /me', 'read', {
    id: 'getOwnAccount',
    summary: "Show the operator that the request's token belongs to",
    description: 'The name and the role of the caller.',
    answer: OperatorAnswer,
    command: { says: ({ name, role }) => `You are ${name}, with the role ${role}.` },
  }),
}
