import type { Context } from '../context.ts'
import { openSecret } from '../endpoints/seal-secret.ts'
import { type Deliveries, type Lane, type LaneTarget, openLane } from './open-lane.ts'
import { leaseLanes, listDue, releaseLanes, renewLanes } from './store.ts'

/** Lanes that one process holds at a time, and deliveries that it fetches for a lane: 100 000 bodies at most. */
const mostLanes = 500
const fetchSize = 200
const renewEveryMs = 1000

const secretsOf = (context: Context, endpointId: string, target: LaneTarget): Lane['secrets'] | undefined => {
  const { secretSealed, previousSecretSealed: previous, previousSecretUntil: until } = target
  try {
    const present = { secret: openSecret(context.vault, endpointId, secretSealed), until: Infinity }
    if (previous === null || until === null) return [present]
    return [present, { secret: openSecret(context.vault, endpointId, previous), until }]
  } catch (error) {
    // It waits for the right keys, and must not hold up the others.
    context.log.error({ err: error, endpointId }, 'the secret of an endpoint cannot be opened')
    return undefined
  }
}

const health = (lanes: readonly Lane[]) => ({
  merchantIds: lanes.map((lane) => lane.merchantId),
  endpointIds: lanes.map((lane) => lane.endpointId),
  failures: lanes.map((lane) => lane.failures),
  failingSinces: lanes.map((lane) => lane.failingSince),
  pausedUntils: lanes.map((lane) => lane.pausedUntil),
})

const lease = async ({ context, lanes, worker, leaseMs }: Deliveries): Promise<void> => {
  const now = context.clock()
  const limit = mostLanes - lanes.size
  if (limit <= 0) return
  const rows = await context.query(leaseLanes, { now, until: now + leaseMs, worker, limit })
  // One whose lease ran out while it was busy here is taken anew and goes on.
  for (const row of rows.filter(({ endpointId }) => !lanes.has(endpointId))) {
    const secrets = secretsOf(context, row.endpointId, row)
    if (secrets) lanes.set(row.endpointId, openLane(row, secrets))
  }
}

const renew = async (deliveries: Deliveries): Promise<void> => {
  const { context, lanes, worker, leaseMs } = deliveries
  const now = context.clock()
  if (lanes.size === 0 || Math.abs(now - deliveries.renewedAt) < renewEveryMs) return
  deliveries.renewedAt = now
  const rows = await context.query(renewLanes, { ...health([...lanes.values()]), worker, until: now + leaseMs })
  const kept = new Map(rows.map((row) => [row.endpointId, row]))
  for (const [id, lane] of lanes) {
    const row = kept.get(id)
    if (row) {
      const secrets = row.enabled ? secretsOf(context, id, row) : undefined
      lane.secrets = secrets ?? lane.secrets
      lane.target = { ...row, enabled: secrets !== undefined }
    } else {
      // Another worker has it: what waits here is its now.
      lanes.delete(id)
      lane.window.length = 0
      lane.target = { ...lane.target, enabled: false }
    }
  }
}

const refill = async ({ context, lanes }: Deliveries): Promise<void> => {
  const now = context.clock()
  const low = [...lanes.values()].filter(
    (lane) => lane.more && lane.target.enabled && lane.pausedUntil <= now && lane.window.length < fetchSize / 4,
  )
  if (low.length === 0) return
  const held = low.flatMap((lane) => [...lane.held].map((position) => ({ id: lane.endpointId, position })))
  const rows = await context.query(listDue, {
    merchantIds: low.map((lane) => lane.merchantId),
    endpointIds: low.map((lane) => lane.endpointId),
    heldEndpointIds: held.map(({ id }) => id),
    heldPositions: held.map(({ position }) => position),
    now,
    limit: fetchSize,
  })
  const found = Map.groupBy(rows, (row) => row.endpointId)
  for (const lane of low) {
    const due = found.get(lane.endpointId) ?? []
    lane.window.push(...due)
    for (const { position } of due) lane.held.add(position)
    lane.more = due.length === fetchSize
  }
}

const release = async ({ context, lanes, worker }: Deliveries, every: boolean): Promise<void> => {
  const now = context.clock()
  const idle = [...lanes.values()].filter((lane) => {
    const isAtRest = lane.underWay === 0 && lane.held.size === lane.window.length
    const hasNothing = lane.window.length === 0 && !lane.more
    return isAtRest && (every || hasNothing || !lane.target.enabled || lane.pausedUntil > now)
  })
  if (idle.length === 0) return
  await context.query(releaseLanes, { ...health(idle), worker })
  for (const lane of idle) lanes.delete(lane.endpointId)
}

/** What a process does with lanes: take free ones, renew its leases, fetch what is due, give back those that have nothing. */
export const holdLanes = { lease, renew, refill, release }
