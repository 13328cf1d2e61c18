import { type Static, Type } from 'typebox'
import { roles } from '../../domain/role.ts'
import { OneOf, Titled } from '../fields.ts'
import { routesForOperators } from '../routes.ts'

const OperatorAnswer = Titled('OperatorCaller', {
  name: Type.String({ description: 'As events, notes and the audit name the operator.' }),
  role: OneOf(roles, { description: 'What it may do: `x-roles` of each operation.' }),
})

/** The operator that a token belongs to. */
export type OperatorAnswer = Static<typeof OperatorAnswer>

/** Who the caller is. */
export const ownAccountRoute = routesForOperators().get('/me', {
  id: 'getOwnAccount',
  duty: 'read',
  summary: "Show the operator that the request's token belongs to",
  description: 'The name and the role of the caller.',
  answer: OperatorAnswer,
  handle: (_context, { operator, role }) => ({ name: operator, role }),
})
