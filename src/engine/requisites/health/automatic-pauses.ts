import { recordActs } from '../../audit/record-acts.ts'
import type { Context, Tx } from '../../context.ts'
import { isPoolShared, merchantDirectory } from '../../merchants/merchant-directory.ts'
import { listServiceState, setServiceState } from '../../service-state.ts'
import {
  findPauseCause,
  type PauseCause,
  type PauseExplanation,
  requisiteGroup,
  type RequisiteRuns,
} from '../../../rules/requisites/requisite-health.ts'
import type { Requisite } from '../../../rules/requisites/requisite.ts'
import { formatInstant, hour, type Instant } from '../../../rules/time.ts'
import { pauseUnlessLast } from '../update-requisite.ts'
import { requisitePool } from '../requisite-pool.ts'
import { readRuns } from './read.ts'
import { findPauseCauses, insertPause, markPauseEnded } from './store.ts'

/** Pauses a requisite, unless it is the last active one of its group; returns whether it did. */
export const pauseRequisite = async (
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

const pause = (context: Context, requisite: Requisite, cause: PauseCause, runs: RequisiteRuns): Promise<boolean> =>
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
    if (cause === undefined || !(await pause(context, requisite, cause, runs))) continue
    runsOf.delete(requisite.id)
    paused++
  }
  return paused
}

const lookEveryMs = hour
const lastLook = 'requisites looked at for pauses'

/**
 * The state on which pauses depend: which requisites may be paused, the events of payments, and the waiting transfers.
 * Time alone pauses nothing.
 */
const readCauses = async (context: Context, groups: readonly (readonly Requisite[])[]): Promise<string> => {
  const watched = groups.flat().map(({ id, limits }) => `${id} ${limits.pauseAfter}`)
  const [causes] = await context.query(findPauseCauses, {})
  return context.vault.blindIndex(
    'pause-causes',
    JSON.stringify([watched.toSorted(), Object.values(causes ?? {}).map(String)]),
  )
}

type Look = { readonly at: Instant; readonly causes: string }

const readLastLook = async (context: Context): Promise<Look | undefined> => {
  const [stored] = await listServiceState(context, lastLook)
  return stored && (JSON.parse(stored.value) as Look)
}

/**
 * Pauses live requisites whose payments expire or whose transfers have no known payment, one after the other; returns
 * how many. Leaves sandboxes alone: engineers let their payments expire. If nothing has happened since the last check
 * by any process, reads no payment: most installations are idle at night.
 */
export const pauseFailingRequisites = async (context: Context): Promise<number> => {
  const { byId } = await context.catalog.get(requisitePool)
  const active = [...byId.values()].filter((each) => each.mode === 'live' && each.status === 'active')
  const groups = [...Map.groupBy(active, requisiteGroup).values()].filter(
    (group) => group.length > 1 && group.some(({ limits }) => limits.pauseAfter !== null),
  )
  if (groups.length === 0) return 0
  const at = context.clock()
  const causes = await readCauses(context, groups)
  const last = await readLastLook(context)
  if (last?.causes === causes && at >= last.at && at < last.at + lookEveryMs) return 0
  let paused = 0
  for (const group of groups) paused += await pauseGroup(context, group)
  await setServiceState(context, lastLook, JSON.stringify({ at, causes } satisfies Look))
  return paused
}

/** Ends the automatic pause of a requisite that is given a status, if it has one; its runs start again. */
export const endPause = async (tx: Tx, requisiteId: string): Promise<void> => {
  await tx.query(markPauseEnded, { requisiteId, now: tx.now })
}
