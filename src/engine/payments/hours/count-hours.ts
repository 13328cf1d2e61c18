import type { Context, Tx } from '../../context.ts'
import { hourOf } from '../../../rules/payments/payment-totals.ts'
import { day, hour, type Instant } from '../../../rules/time.ts'
import { instantOfId, leastIdAt } from '../../../rules/values/id-text.ts'
import {
  deleteAllHours,
  deleteHours,
  findFirstPayment,
  insertChanges,
  insertHours,
  insertHoursAgain,
  lockCounted,
  takeChanges,
  updateCounted,
} from './store.ts'

/** Most notes of changed hours per transaction. */
const notesAtOnce = 500
/** The span of hours that one transaction counts. */
const spanMs = day

const listHours = (from: Instant, until: Instant): Instant[] =>
  Array.from({ length: Math.ceil((until - from) / hour) }, (_, index) => from + index * hour)

/** The smallest id of each hour of a span. */
export const hourIdsOf = (from: Instant, until: Instant): string[] => listHours(from, until).map(leastIdAt)

/** Recounts hours that have changed since they were counted; returns how many notes it took. */
const countChanged = async (tx: Tx, countedUntil: Instant): Promise<number> => {
  const taken = await tx.query(takeChanges, { limit: notesAtOnce })
  // Other hours have not been counted yet: they will be later.
  const counted = taken.filter((each) => each.hour < countedUntil)
  const hours = [...new Map(counted.map((each) => [`${each.merchantId} ${each.hour}`, each])).values()]
  if (hours.length > 0) {
    await tx.query(deleteHours, { rows: hours })
    const rows = hours.map((each) => ({ ...each, fromId: leastIdAt(each.hour), untilId: leastIdAt(each.hour + hour) }))
    await tx.query(insertHoursAgain, { rows })
  }
  return taken.length
}

/** Counts the next hours, at most a day of them, and skips those without payments. */
const countNext = async (tx: Tx, countedUntil: Instant, final: Instant): Promise<Instant> => {
  const [first] = await tx.query(findFirstPayment, { fromId: leastIdAt(countedUntil) })
  const from = first === undefined ? final : hourOf(instantOfId(first.id))
  if (from >= final) return final
  const until = Math.min(final, from + spanMs)
  const ids = { fromId: leastIdAt(from), untilId: leastIdAt(until), hourIds: hourIdsOf(from, until) }
  await tx.query(insertHours, { firstHour: from, ...ids })
  return until
}

/** Starts from the beginning: the clock was ahead, so hours were counted before their payments were final, or existed. */
const countAgain = async (tx: Tx): Promise<number> => {
  await tx.query(deleteAllHours, {})
  await tx.query(updateCounted, { countedUntil: 0 })
  return 1
}

/**
 * Counts the payments of hours that are at least two days old, and recounts older hours that have changed. Returns
 * whether more work is left. Safe on any number of processes.
 */
export const countHours = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const [progress] = await tx.query(lockCounted, {})
    if (!progress) return 0
    const { countedUntil } = progress
    const final = countableUntil(tx.now)
    if (countedUntil > final + hour) return countAgain(tx)
    const notes = await countChanged(tx, countedUntil)
    if (countedUntil >= final) return notes === notesAtOnce ? 1 : 0
    const until = await countNext(tx, countedUntil, final)
    await tx.query(updateCounted, { countedUntil: until })
    return until < final || notes === notesAtOnce ? 1 : 0
  })

/**
 * Changes of payments older than this are noted. An hour is counted a day later, when no earlier change is still under
 * way.
 */
const notedAfterMs = day

/** The time before which hours may be counted: every change of their payments is noted from now on. */
const countableUntil = (now: Instant): Instant => hourOf(now - 2 * notedAfterMs)

type Changed = { readonly merchantId: string; readonly id: string }

/** Notes changes of payments whose hours may already be counted; writes nothing for younger payments. */
export const noteChangedHours = async (tx: Tx, payments: readonly Changed[]): Promise<void> => {
  const hours = new Map<string, { merchantId: string; hour: Instant }>()
  for (const { merchantId, id } of payments) {
    const createdAt = instantOfId(id)
    if (createdAt >= tx.now - notedAfterMs) continue
    const at = hourOf(createdAt)
    hours.set(`${merchantId} ${at}`, { merchantId, hour: at })
  }
  if (hours.size === 0) return
  await tx.query(insertChanges, { rows: [...hours.values()].map((each) => ({ id: tx.newId(), ...each })) })
}
