import { recordActs } from '../../audit/record-acts.ts'
import type { Context, Tx } from '../../context.ts'
import { isPoolShared, merchantDirectory } from '../../merchants/merchant-directory.ts'
import {
  findPauseCause,
  type PauseCause,
  type PauseExplanation,
  requisiteGroup,
  type RequisiteRuns,
} from '../../../rules/requisites/requisite-health.ts'
import type { Requisite } from '../../../rules/requisites/requisite.ts'
import { formatInstant, type Instant, minute } from '../../../rules/time.ts'
import { pauseUnlessLast, updateRequisite } from '../update-requisite.ts'
import { requisitePool } from '../requisite-pool.ts'
import { readRuns } from './read.ts'
import { insertPause, markPauseEnded, listSilentPauses } from './store.ts'

/** Pauses a requisite, unless it is the last active one of its group; returns whether it did. */
const pauseRequisite = async (
  context: Context,
  id: string,
  cause: PauseCause,
  explanation: PauseExplanation,
): Promise<boolean> => {
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
  if (paused) context.log.warn({ requisiteId: id, cause, ...explanation }, 'requisite paused: check it, then resume it')
  return paused
}

const pauseFailing = (
  context: Context,
  requisite: Requisite,
  cause: PauseCause,
  runs: RequisiteRuns,
): Promise<boolean> =>
  pauseRequisite(context, requisite.id, cause, {
    run: cause === 'expired' ? runs.expiredRun : runs.unmatchedRun,
    limit: requisite.limits.pauseAfter ?? 0,
    since: cause === 'expired' && runs.expiredSince !== null ? formatInstant(runs.expiredSince) : null,
  })

const pauseGroup = async (context: Context, group: readonly Requisite[]): Promise<number> => {
  const ids = group.map((each) => each.id)
  const isContested = isPoolShared(await context.catalog.get(merchantDirectory), 'live')
  const read = await readRuns(context, ids, context.clock())
  const runsOf = new Map(read.map((runs) => [runs.requisiteId, runs]))
  let paused = 0
  for (const requisite of group) {
    const runs = runsOf.get(requisite.id)
    if (!runs) continue
    const others = [...runsOf.values()].filter((other) => other !== runs)
    const isShared = isContested && requisite.merchantId === null
    const cause = findPauseCause(runs, others, requisite.limits.pauseAfter, isShared)
    if (cause === undefined || !(await pauseFailing(context, requisite, cause, runs))) continue
    runsOf.delete(requisite.id)
    paused++
  }
  return paused
}

/**
 * Pauses live requisites whose payments expire or whose transfers have no known payment, one after the other; returns
 * how many. Leaves sandboxes alone: engineers let their payments expire.
 */
export const pauseFailingRequisites = async (context: Context): Promise<number> => {
  const { byId } = await context.catalog.get(requisitePool)
  const active = [...byId.values()].filter((each) => each.mode === 'live' && each.status === 'active')
  const groups = [...Map.groupBy(active, requisiteGroup).values()].filter(
    (group) => group.length > 1 && group.some(({ limits }) => limits.pauseAfter !== null),
  )
  let paused = 0
  for (const group of groups) paused += await pauseGroup(context, group)
  return paused
}

/** Ends the automatic pause of a requisite that is given a status, if it has one; its runs start again. */
export const endPause = async (tx: Tx, requisiteId: string): Promise<void> => {
  await tx.query(markPauseEnded, { requisiteId, now: tx.now })
}

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
