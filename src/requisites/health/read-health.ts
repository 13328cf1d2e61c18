import type { Queryable } from '../../database/database.ts'
import type { RequisiteHealth, RequisitePause } from '../../domain/requisite-health.ts'
import { day, type Instant } from '../../domain/time.ts'
import { listHealth, listLastPauses } from './store.ts'

/** How a requisite has done lately, and its last automatic pause. */
export type ReadHealth = { readonly health: RequisiteHealth; readonly pause: RequisitePause | undefined }

/** How requisites have done in the week before `now`, by their ids. Runs begin anew where an automatic pause ended. */
export const readHealth = async (
  sql: Queryable,
  ids: readonly string[],
  now: Instant,
): Promise<Map<string, ReadHealth>> => {
  if (ids.length === 0) return new Map()
  const pauses = await sql.query(listLastPauses, { ids })
  const pauseOf = new Map(pauses.map((pause) => [pause.requisiteId, pause]))
  const rows = await sql.query(listHealth, {
    ids,
    watchedFroms: ids.map((id) => pauseOf.get(id)?.endedAt ?? 0),
    dayStart: now - day,
    since: now - 7 * day,
  })
  return new Map(
    rows.map(({ dayPayments, dayPaid, dayExpired, payments, paid, expired, ...rest }) => {
      const health: RequisiteHealth = {
        ...rest,
        day: { payments: dayPayments, paid: dayPaid, expired: dayExpired },
        week: { payments, paid, expired },
      }
      return [rest.requisiteId, { health, pause: pauseOf.get(rest.requisiteId) }]
    }),
  )
}
