import type { Instant } from '../time.ts'

type Timed = { readonly bookedAt: Instant }

/** What was booked, by time, each with its index in the order in which all were given. */
export type Timeline<Each extends Timed> = readonly { readonly each: Each; readonly index: number }[]

/** Sorts what was booked by time. */
export const timelineOf = <Each extends Timed>(all: readonly Each[]): Timeline<Each> =>
  all.map((each, index) => ({ each, index })).toSorted((a, b) => a.each.bookedAt - b.each.bookedAt)

/** Where the first one is that was not booked before a time. */
const firstFrom = (timeline: Timeline<Timed>, at: Instant): number => {
  let [from, to] = [0, timeline.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((timeline[middle]?.each.bookedAt ?? Infinity) < at) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * Of those that fit, the one that was booked nearest to a time and less than `below` milliseconds from it; of several, the
 * one that was given first. It looks outwards from the time, so that the many that are further away cost nothing.
 */
export const findNearestInTime = <Each extends Timed>(
  timeline: Timeline<Each>,
  at: Instant,
  fits: (each: Each) => boolean,
  below = Infinity,
): Each | undefined => {
  let next = firstFrom(timeline, at)
  let last = next - 1
  let nearest: Timeline<Each>[number] | undefined
  let distance = below
  for (;;) {
    const [earlier, later] = [timeline[last], timeline[next]]
    const before = earlier ? at - earlier.each.bookedAt : Infinity
    const after = later ? later.each.bookedAt - at : Infinity
    const one = before <= after ? earlier : later
    const away = Math.min(before, after)
    if (!one || (nearest ? away > distance : away >= distance)) return nearest?.each
    if (one === earlier) last--
    else next++
    if (nearest && one.index > nearest.index) continue
    if (!fits(one.each)) continue
    nearest = one
    distance = away
  }
}
