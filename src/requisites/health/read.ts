import type { Queryable } from '../../database/database.ts'
import type { RequisiteHealth, RequisitePause } from '../../domain/requisite-health.ts'
import { day, type Instant } from '../../domain/time.ts'
import { listHealth, listLastPauses, selectPauses } from './store.ts'

/**
 * The health of requisites in the week before `now` and their last automatic pause, by their ids. Runs restart when a
 * pause ends.
 */
export const readHealth = async (sql: Queryable, ids: readonly string[], now: Instant) => {
  const pauses = await sql.query(listLastPauses, { ids })
  const pauseOf = new Map(pauses.map((pause) => [pause.requisiteId, pause]))
  const rows = await sql.query(listHealth, {
    dayStart: now - day,
    since: now - 7 * day,
    rows: ids.map((id) => ({ id, watchedFrom: pauseOf.get(id)?.endedAt ?? 0 })),
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

/** A page of automatic pauses, the newest first; `open` selects those that last, or those that have ended. */
export const listPauses = (
  sql: Queryable,
  page: Parameters<typeof selectPauses.encode>[0],
): Promise<RequisitePause[]> => sql.query(selectPauses, page)
