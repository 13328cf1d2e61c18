import { recordActs } from '../../audit/record-acts.ts'
import type { Context } from '../../context.ts'
import { formatInstant, type Instant, minute } from '../../../rules/time.ts'
import { requisitePool } from '../requisite-pool.ts'
import { updateRequisite } from '../update-requisite.ts'
import { endPause, pauseRequisite } from './automatic-pauses.ts'
import { listSilentPauses } from './store.ts'

/** A requisite, and since when what reports its money has been silent, longer than it may; null: it is not. */
type Heard = { readonly id: string; readonly silentSince: Instant | null; readonly limitMinutes: number }

/**
 * Pauses live requisites whose money nobody reports, but the last one of a group, and resumes those again that are
 * reported; returns how many. One that an operator has resumed meanwhile is not paused for the same silence again.
 */
export const pauseSilentRequisites = async (context: Context, heard: readonly Heard[]): Promise<number> => {
  if (heard.length === 0) return 0
  const { byId } = await context.catalog.get(requisitePool)
  const pauses = await context.query(listSilentPauses, { ids: heard.map(({ id }) => id) })
  const last = new Map(pauses.map((pause) => [pause.requisiteId, pause]))
  let changed = 0
  for (const { id, silentSince, limitMinutes } of heard) {
    const requisite = byId.get(id)
    const pause = last.get(id)
    const isPaused = pause !== undefined && pause.endedAt === null
    if (silentSince === null && isPaused) {
      await context.transaction(async (tx) => {
        await updateRequisite(tx, id, { status: 'active' })
        await endPause(tx, id)
        const act = { actor: 'service', action: 'requisite.resume', subject: `requisite:${id}`, details: {} }
        await recordActs(tx, [act])
      })
      changed++
    }
    if (silentSince === null || isPaused || requisite?.mode !== 'live' || requisite.status !== 'active') continue
    if (pause && pause.pausedAt > silentSince) continue
    const run = Math.floor((context.clock() - silentSince) / minute)
    const explanation = { run, limit: limitMinutes, since: formatInstant(silentSince) }
    if (await pauseRequisite(context, id, 'silent', explanation)) changed++
  }
  return changed
}
