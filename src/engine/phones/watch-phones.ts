import type { Context } from '../context.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { pauseSilentRequisites } from '../requisites/health/pause-silent-requisites.ts'
import type { Phone } from './phones.ts'
import { selectPhones } from './store.ts'

/** Since when a phone has been silent, longer than it may; null if it has not. */
const silentSince = ({ lastSeenAt, createdAt, silentMinutes }: Phone, now: Instant): Instant | null => {
  const since = lastSeenAt ?? createdAt
  return silentMinutes !== null && now - since > silentMinutes * minute ? since : null
}

/**
 * Pauses the requisites of phones that have been silent for longer than they may, and resumes them when they are back;
 * returns how many. A requisite of several phones is reported while one of them is heard.
 */
export const watchPhones = async (context: Context): Promise<number> => {
  const now = context.clock()
  const phones = (await context.query(selectPhones, {})).filter(
    ({ state, silentMinutes }) => state === 'active' && silentMinutes !== null,
  )
  const ofRequisites = Map.groupBy(
    phones.flatMap((phone) => phone.requisites.map(({ requisiteId }) => ({ requisiteId, phone }))),
    ({ requisiteId }) => requisiteId,
  )
  const heard = [...ofRequisites].map(([id, each]) => {
    const silences = each.map(({ phone }) => silentSince(phone, now))
    const isSilent = silences.every((since) => since !== null)
    const limitMinutes = Math.max(...each.map(({ phone }) => phone.silentMinutes ?? 0))
    return { id, limitMinutes, silentSince: isSilent ? Math.max(...silences) : null }
  })
  return pauseSilentRequisites(context, heard)
}
