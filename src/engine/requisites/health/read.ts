import { type Queryable, reader } from 'payin-database'
import type { MerchantRuns } from '../../../rules/requisites/requisite-health.ts'
import { day, type Instant } from '../../../rules/time.ts'
import { listHealth, listLastPauses, listRuns, selectPauses } from './store.ts'

/** Account health: the outcomes of a requisite's payments in the last day and week, and its runs of failures. */
export type RequisiteHealth = ReturnType<typeof listHealth.decode>

/** An automatic pause; `endedAt` is when an operator resumed or retired the requisite. */
export type RequisitePause = ReturnType<typeof selectPauses.decode>

/** The last automatic pause of each requisite, and what is read for them: their runs restart when a pause ends. */
const readPauses = async (sql: Queryable, ids: readonly string[]) => {
  const pauses = await sql.query(listLastPauses, { ids })
  const pauseOf = new Map(pauses.map((pause) => [pause.requisiteId, pause]))
  return { pauseOf, rows: ids.map((id) => ({ id, watchedFrom: pauseOf.get(id)?.endedAt ?? 0 })) }
}

/** The health of requisites in the week before `now` and their last automatic pause, by their ids. */
export const readHealth = async (sql: Queryable, ids: readonly string[], now: Instant) => {
  const { pauseOf, rows } = await readPauses(sql, ids)
  const healths = await sql.query(listHealth, { dayStart: now - day, since: now - 7 * day, rows })
  return new Map(healths.map((health) => [health.requisiteId, { health, pause: pauseOf.get(health.requisiteId) }]))
}

/** Twice the longest run that can pause a requisite, because some payments are neither paid nor expired. */
const newestPayments = 200

/** The runs of requisites among their newest ended payments in the week before `now`. */
export const readRuns = async (sql: Queryable, ids: readonly string[], now: Instant): Promise<MerchantRuns[]> => {
  const { rows } = await readPauses(sql, ids)
  return sql.query(listRuns, { since: now - 7 * day, newest: newestPayments, rows })
}

/** A page of automatic pauses, the newest first; `open` selects those that last, or those that have ended. */
export const listPauses = reader(selectPauses)
