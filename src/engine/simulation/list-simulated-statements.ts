import type { Context } from '../context.ts'
import { changeOf, type SimulatedStatement } from '../../rules/sandbox/simulated-statement.ts'
import { invalidState, Refusal } from '../../rules/refusal.ts'
import { day, hour, minute, periodStarts } from '../../rules/time.ts'
import { requisitePool, revealNumber } from '../requisites/requisite-pool.ts'
import { listBookings, sumBookings } from './store.ts'

/** Which statements are wanted; default: all merchants' money, on all accounts, today. */
export type WantedStatements = {
  readonly merchantId: string | null
  readonly requisiteId: string | null
  /** Such as `2026-01-31`, in the time zone of each account. */
  readonly day: string | null
}

const mostBookings = 10_000

/** Time zones are at most this far from UTC. */
const farthestZoneMs = 14 * hour

/**
 * The simulated bank's statements for a day: one for each account with bookings, for the money of one merchant or of
 * all. Refuses `resource_not_found` if there were no bookings, and `invalid_state` if there were too many for one file.
 */
export const listSimulatedStatements = async (
  context: Context,
  wanted: WantedStatements,
): Promise<SimulatedStatement[]> => {
  const { byId } = await context.catalog.get(requisitePool)
  const now = context.clock()
  const noon = wanted.day === null ? now : Date.parse(`${wanted.day}T12:00:00Z`)
  const span = { since: noon - day - farthestZoneMs, before: noon + day + farthestZoneMs }
  const found = await context.query(listBookings, { ...wanted, ...span, limit: mostBookings + 1 })
  if (found.length > mostBookings)
    throw invalidState(`The bank has more than ${mostBookings} bookings: ask for one account.`)
  const accounts = [...Map.groupBy(found, ({ requisiteId }) => requisiteId)].flatMap(([requisiteId, bookings]) => {
    const requisite = byId.get(requisiteId)
    if (!requisite) return []
    const { utcOffsetMinutes } = requisite.limits
    const start =
      wanted.day === null
        ? periodStarts(now, utcOffsetMinutes).day
        : Date.parse(`${wanted.day}T00:00:00Z`) - utcOffsetMinutes * minute
    const ofDay = bookings.filter(({ bookedAt }) => bookedAt >= start && bookedAt < start + day)
    return ofDay.length === 0 ? [] : [{ requisite, start, bookings: ofDay }]
  })
  if (accounts.length === 0)
    throw new Refusal(
      'resource_not_found',
      'The simulated bank booked nothing on that day; a payment must be paid first.',
    )
  const rows = accounts.map(({ requisite, start }) => ({ requisiteId: requisite.id, before: start }))
  const sums = await context.query(sumBookings, { merchantId: wanted.merchantId, rows })
  const openings = new Map(sums.map(({ requisiteId, balance }) => [requisiteId, balance]))
  return accounts.map(({ requisite, start, bookings }) => {
    const { id, holder, currency, limits } = requisite
    const opening = openings.get(id) ?? 0n
    return {
      account: revealNumber(context.vault, requisite),
      ...{ holder, currency, opening, bookings },
      day: new Date(start + limits.utcOffsetMinutes * minute).toISOString().slice(0, 10),
      closing: bookings.reduce((balance, booking) => balance + changeOf(booking), opening),
    }
  })
}
