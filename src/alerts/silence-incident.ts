import type { Tx } from '../context.ts'
import type { AlertIncident } from '../domain/alert.ts'
import { refuseField } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { lockOpenIncident } from './read.ts'
import { updateAnswer } from './store.ts'

/**
 * Keeps an open incident from being reported again until a time; then it is, if it is still open. Refuses
 * `resource_not_found`, `invalid_state` for one that is over, and `validation_failed` for a time that is not to come.
 */
export const silenceIncident = async (tx: Tx, id: string, until: Instant, by: string): Promise<AlertIncident> => {
  if (until <= tx.now) throw refuseField('validation_failed', 'until', 'is not in the future.')
  const incident = await lockOpenIncident(tx, id)
  const remindAt = incident.acknowledgedAt === null ? until : null
  const answered = { ...incident, silencedUntil: until, silencedBy: by, remindAt }
  await tx.query(updateAnswer, answered)
  return answered
}
