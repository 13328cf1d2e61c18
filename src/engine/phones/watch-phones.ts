import type { Context } from '../context.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { pauseSilentRequisites } from '../requisites/health/automatic-pauses.ts'
import { selectPhones } from './store.ts'

/** Phones that may not be silent for long; `since`: since when each has been, longer than it may. */
const listWatched = async (context: Context, now: Instant) =>
  (await context.query(selectPhones, {})).flatMap(({ state, silentMinutes, ...phone }) => {
    if (state !== 'active' || silentMinutes === null) return []
    const since = phone.lastSeenAt ?? phone.createdAt
    return [{ ...phone, silentMinutes, since: now - since > silentMinutes * minute ? since : null }]
  })

/** Phones that have been silent for longer than they may. */
export const listSilentPhones = async (context: Context, now: Instant) =>
  (await listWatched(context, now)).flatMap(({ since, ...phone }) => (since === null ? [] : [{ ...phone, since }]))

/**
 * Pauses the requisites of phones that have been silent for longer than they may, and resumes them when they are back;
 * returns how many. A requisite of several phones is reported while one of them is heard.
 */
export const watchPhones = async (context: Context): Promise<number> => {
  const phones = await listWatched(context, context.clock())
  const ofRequisites = Map.groupBy(
    phones.flatMap((phone) => phone.requisites.map(({ requisiteId }) => ({ requisiteId, phone }))),
    ({ requisiteId }) => requisiteId,
  )
  const heard = [...ofRequisites].map(([id, each]) => {
    const silences = each.map(({ phone }) => phone.since)
    const isSilent = silences.every((since) => since !== null)
    const limitMinutes = Math.max(...each.map(({ phone }) => phone.silentMinutes))
    return { id, limitMinutes, silentSince: isSilent ? Math.max(...silences) : null }
  })
  return pauseSilentRequisites(context, heard)
}
