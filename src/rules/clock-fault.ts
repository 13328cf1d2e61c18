import { type Instant, minute } from './time.ts'

/** A fault of the clock of a process, as the process reports it every minute while it lasts. */
export type ClockFault = {
  readonly fault: string
  /** How far the database's clock has jumped ahead, or back if it is below zero; absent if it has not. */
  readonly jumpMs?: number
  readonly since: Instant
  /** By the clock from before the jump. */
  readonly at: Instant
}

const prefix = 'clock:'

/** The name under which a process stores the fault of its clock. */
export const clockFaultName = (process: string): string => prefix + process

/** Matches these names in SQL. */
export const clockFaultNames = clockFaultName('%')

type Stored = { readonly name: string; readonly value: string }

const readFaults = (rows: readonly Stored[]) =>
  rows.map(({ name, value }) => ({ process: name.slice(prefix.length), ...(JSON.parse(value) as ClockFault) }))

/** A fault is reported every minute. */
const isCurrent = ({ at }: ClockFault, now: Instant): boolean => Math.abs(now - at) <= 3 * minute

/** The faults that are still reported: a process that ended says nothing about its clock. */
export const currentClockFaults = (rows: readonly Stored[], now: Instant) =>
  readFaults(rows).filter((fault) => isCurrent(fault, now))

/** A jump of the database's clock that a process still reports; undefined if none does. */
export const reportedJump = (rows: readonly Stored[], now: Instant) => {
  for (const fault of readFaults(rows)) {
    const { jumpMs = 0, since } = fault
    if (jumpMs !== 0 && isCurrent(fault, now - jumpMs)) return { jumpMs, since }
  }
  return undefined
}
