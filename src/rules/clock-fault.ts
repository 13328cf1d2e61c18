import { type Instant, minute } from './time.ts'

/** A fault of the clock of a process, as the process reports it every minute while it lasts. */
export type ClockFault = { readonly fault: string; readonly since: Instant; readonly at: Instant }

const prefix = 'clock:'

/** The name under which a process stores the fault of its clock. */
export const clockFaultName = (process: string): string => prefix + process

/** Matches these names in SQL. */
export const clockFaultNames = clockFaultName('%')

/** The faults that are still reported: a process that ended says nothing about its clock. */
export const currentClockFaults = (rows: readonly { readonly name: string; readonly value: string }[], now: Instant) =>
  rows
    .map(({ name, value }) => ({ process: name.slice(prefix.length), ...(JSON.parse(value) as ClockFault) }))
    .filter(({ at }) => Math.abs(now - at) <= 3 * minute)
