// The authentication library dates by the machine's clock, which may jump. What it stores is dated by the context's clock
// (docs/domain.md §2.4), so that its sessions and lock-outs last as long as they should.
import type { Context } from '../../context.ts'
import type { Instant } from '../../../rules/time.ts'

type Clocked = Pick<Context, 'clock'>

const aheadMs = ({ clock }: Clocked): number => Date.now() - clock()

/** When a date of the library is by the context's clock. */
export const fromLibrary = (context: Clocked, date: Date): Instant => date.getTime() - aheadMs(context)

/** The date that the library needs for a time by the context's clock. */
export const forLibrary = (context: Clocked, at: Instant): Date => new Date(at + aheadMs(context))

const mapDates = <Fields extends object>(fields: Fields, map: (date: Date) => Date): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Date ? map(value) : value]),
  ) as Fields

/** The library's fields or condition with dates as they are stored. */
export const toStored =
  (context: Clocked) =>
  <Fields extends object>(fields: Fields): Fields =>
    mapDates(fields, (date) => new Date(fromLibrary(context, date)))

/** A stored row with dates as the library needs them. */
export const toLibrary =
  (context: Clocked) =>
  <Row extends object>(row: Row): Row =>
    mapDates(row, (date) => forLibrary(context, date.getTime()))
