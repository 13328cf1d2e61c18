import type { Instant } from '../../../../rules/time.ts'
import { type Deliveries, type Lane, noteChanged, notePage } from './lane.ts'
import { listDue, listNewest } from './store.ts'

/** Deliveries per page of a lane, which is fetched once half as many are left. */
const pageSize = 100

const maySend = (lane: Lane, now: Instant): boolean => lane.target.enabled && lane.pausedUntil <= now

const isLow = (lane: Lane, now: Instant): boolean =>
  !lane.isRead && maySend(lane, now) && lane.toSend.length < pageSize / 2

type DueRow = ReturnType<typeof listDue.decode>

const takePage = (lane: Lane, page: readonly DueRow[]): void => {
  for (const { eventId, body, ...due } of page) {
    if (eventId === null || body === null || lane.inHand.has(due.position)) continue
    const delivery = { ...due, eventId, body }
    lane.inHand.set(due.position, delivery)
    lane.toSend.push(delivery)
  }
  notePage(lane, page, pageSize)
}

/** Takes deliveries written before this fetch out of `inHand`: an earlier fetch may still have found them due. */
const dropWritten = (deliveries: Deliveries): void => {
  for (const { lane, due } of deliveries.written.splice(0)) {
    // An interrupted round writes results twice: the delivery may have been fetched again since the first time.
    if (lane.inHand.get(due.position) === due) lane.inHand.delete(due.position)
    noteChanged(lane)
  }
}

/**
 * Puts the newest untried delivery before the one that has waited longest: an endpoint that is down gets one at a time
 * with long pauses, and must not be judged by the same ones forever.
 */
const putNewest = async ({ context, lanes, ready }: Deliveries, now: Instant): Promise<void> => {
  const rows = [...lanes.values()].filter((lane) => lane.newestFirst && maySend(lane, now))
  if (rows.length === 0) return
  const newest = await context.query(listNewest, { rows, now })
  for (const lane of rows) {
    lane.newestFirst = false
    const due = newest.find((row) => row.endpointId === lane.endpointId)
    if (!due || lane.inHand.has(due.position)) continue
    lane.inHand.set(due.position, due)
    lane.toSend.unshift(due)
    ready.add(lane)
  }
}

/** Fetches what is due in the lanes that have little left to send; returns whether to fetch again immediately. */
export const fillLanes = async (deliveries: Deliveries): Promise<boolean> => {
  const { context } = deliveries
  dropWritten(deliveries)
  const now = context.clock()
  await putNewest(deliveries, now)
  const low = [...deliveries.lanes.values()].filter((lane) => isLow(lane, now))
  if (low.length === 0) return false
  const pages = low.map((lane) => ({
    merchantId: lane.merchantId,
    endpointId: lane.endpointId,
    afterDueAt: lane.readCursor.dueAt,
    afterPosition: lane.readCursor.position,
    size: pageSize,
  }))
  const due = await context.query(listDue, { rows: pages, now: context.clock() })
  const dueOf = Map.groupBy(due, (row) => row.endpointId)
  for (const lane of low) {
    takePage(lane, dueOf.get(lane.endpointId) ?? [])
    if (lane.toSend.length > 0) deliveries.ready.add(lane)
  }
  return low.some((lane) => isLow(lane, now))
}
