import { type Static, Type } from 'typebox'
import { Refusal } from '../../domain/refusal.ts'
import { Exact, Id, OneOf } from '../fields.ts'
import { routesForOperators } from '../routes.ts'
import { ofRequisite, Reason } from './operator-fields.ts'
import { changeRequisite } from './requisites.ts'

const Changed = Type.Object({
  ...ofRequisite,
  state: OneOf(['done', 'refused']),
  code: Type.Optional(Type.String({ description: 'Why it was refused.', examples: ['invalid_state'] })),
  message: Type.Optional(Type.String()),
})

const ChangedStatuses = Type.Object({
  requisites: Type.Array(Changed, { description: 'In the order of the request.' }),
})

/** What became of requisites whose status was to be changed. */
export type ChangedStatuses = Static<typeof ChangedStatuses>

/** Pauses or resumes many requisites at once. */
export const requisiteStatusRoute = routesForOperators().post('/requisites/statuses', {
  id: 'setRequisiteStatuses',
  duty: 'decide',
  summary: 'Pause or resume many requisites',
  description:
    'Each in a transaction and with an audit entry of its own; one that is refused does not keep the others.',
  body: Exact({
    requisites: Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true }),
    status: OneOf(['active', 'paused']),
    reason: Type.Optional({ ...Reason, description: 'Why, for the audit.' }),
  }),
  bodyLimit: 128 * 1024,
  answer: ChangedStatuses,
  handle: async (context, request) => {
    const { requisites, status, reason } = request.body
    const results: ChangedStatuses['requisites'] = []
    for (const requisiteId of requisites) {
      try {
        await changeRequisite(context, request, requisiteId, { status }, reason)
        results.push({ requisiteId, state: 'done' })
      } catch (error) {
        if (!(error instanceof Refusal) || (error.code !== 'invalid_state' && error.code !== 'resource_not_found'))
          throw error
        results.push({ requisiteId, state: 'refused', code: error.code, message: error.message })
      }
    }
    return { requisites: results }
  },
})
