import { day, hour, type Instant, minute } from './time.ts'

/** The lists whose filters operators save. */
export const viewedLists = ['payments', 'transfers'] as const
export type ViewedList = (typeof viewedLists)[number]

/** The filters of a list as in its query; `within` replaces `from`. */
export type ViewFilters = Readonly<Record<string, string>>

const units: Readonly<Record<string, number>> = { m: minute, h: hour, d: day }

/** The form of `within`: a number of minutes, hours or days, such as `24h`. */
export const withinPattern = '^[1-9][0-9]{0,3}[mhd]$'

/** The filters of a list at a given time: `within` becomes `from`, and filters of the request override saved ones. */
export const applyView = <Query extends object>(saved: ViewFilters, asked: Query, now: Instant): Query => {
  const { within, ...filters } = saved
  if (within === undefined) return { ...filters, ...asked }
  const span = Number(within.slice(0, -1)) * (units[within.slice(-1)] ?? day)
  return { from: new Date(now - span).toISOString(), ...filters, ...asked }
}
