import type { Context } from '../../context.ts'
import { findPauseCause, type PauseCause, requisiteGroup, type RequisiteHealth } from '../../domain/requisite-health.ts'
import type { Requisite } from '../../domain/requisite.ts'
import { formatInstant } from '../../domain/time.ts'
import { recordActs } from '../../audit/record-acts.ts'
import { pauseUnlessLast } from '../pause-unless-last.ts'
import { requisitePool } from '../requisite-pool.ts'
import { readHealth } from './read.ts'
import { insertPause } from './store.ts'

const pause = async (
  context: Context,
  requisite: Requisite,
  cause: PauseCause,
  health: RequisiteHealth,
): Promise<boolean> => {
  const { id } = requisite
  const explanation = {
    run: cause === 'expired' ? health.expiredRun : health.unmatchedRun,
    limit: requisite.limits.pauseAfter ?? 0,
    since: cause === 'expired' && health.expiredSince !== null ? formatInstant(health.expiredSince) : null,
  }
  const paused = await context.transaction(async (tx) => {
    if (!(await pauseUnlessLast(tx, id))) return false
    await tx.query(insertPause, {
      ...{ requisiteId: id, id: tx.newId(), cause, explanation },
      ...{ pausedAt: tx.now, endedAt: null },
    })
    const subject = `requisite:${id}`
    await recordActs(tx, [{ actor: 'service', action: 'requisite.pause', subject, details: { cause, ...explanation } }])
    return true
  })
  if (paused) context.log.warn({ requisiteId: id, cause, ...explanation }, 'requisite paused: look at it and resume it')
  return paused
}

/**
 * Pauses live requisites whose payments expire or whose transfers nobody knows, one after the other; answers how many.
 * Sandboxes are left alone: their payments expire because engineers let them.
 */
export const pauseFailingRequisites = async (context: Context): Promise<number> => {
  const { byId } = await context.catalog.get(requisitePool)
  const active = [...byId.values()].filter((each) => each.mode === 'live' && each.status === 'active')
  let paused = 0
  for (const group of Map.groupBy(active, requisiteGroup).values()) {
    if (group.length < 2) continue
    const ids = group.map((each) => each.id)
    const read = await readHealth(context, ids, context.clock())
    const healths = new Map(read.entries().map(([id, { health }]) => [id, health]))
    for (const requisite of group) {
      const health = healths.get(requisite.id)
      if (!health) continue
      const others = [...healths.values()].filter((other) => other !== health)
      const cause = findPauseCause(health, others, requisite.limits.pauseAfter)
      if (cause === undefined || !(await pause(context, requisite, cause, health))) continue
      healths.delete(requisite.id)
      paused++
    }
  }
  return paused
}
