import type { Tx } from '../context.ts'
import type { AlertIncident } from '../domain/alert.ts'
import { lockOpenIncident } from './read.ts'
import { updateAnswer } from './store.ts'

/**
 * Says that an operator knows of an open incident: it is not reported again, only its end. Said twice, the first one
 * counts. Refuses `resource_not_found`, and `invalid_state` for one that is over.
 */
export const acknowledgeIncident = async (tx: Tx, id: string, by: string): Promise<AlertIncident> => {
  const incident = await lockOpenIncident(tx, id)
  if (incident.acknowledgedAt !== null) return incident
  const answered = { ...incident, acknowledgedAt: tx.now, acknowledgedBy: by, remindAt: null }
  await tx.query(updateAnswer, answered)
  return answered
}
