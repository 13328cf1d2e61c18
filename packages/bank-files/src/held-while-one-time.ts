import { isRunning } from './running-reference.ts'
import type { StatementBalance, StatementRow, StatementSink } from './statement.ts'

/** No bank books this many rows in a row at the same second: a file that begins with them has days and no times. */
const enoughRows = 2000
/** This many rows at one time of day, on several days, are no coincidence; midnight needs no such evidence. */
const leastRows = 3

const clockPattern = /T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/
const midnight = '00:00:00'
// The time that programs add to a bare day, so that it stays the same day in most zones.
const noon = '12:00:00'

/** The time of day of a booked row to the second; `undefined` if it has none. */
const clockOf = ({ kind, booked }: StatementRow): string | undefined => {
  const [, minutes, seconds = '00', zone] = clockPattern.exec(booked) ?? []
  if (kind === 'pending' || minutes === undefined) return undefined
  const clock = `${minutes}:${seconds}`
  // Any other time with a zone may be midnight in another zone, where the day is not the one in the text.
  return zone === undefined || clock === midnight || clock === noon ? clock : `${clock}${zone}`
}

/** Whether a time of day may mean only the day written next to it. */
const isPlain = (clock: string): boolean => clock.length === midnight.length

/** The row whose reference, if it only counts, distinguishes it from others of its day and does not identify it. */
const withCount = (row: StatementRow): StatementRow => {
  const { reference } = row
  if (reference === null || !isRunning(reference)) return row
  return { ...row, reference: null, referenceKind: null, count: reference }
}

/** If the one time has a zone, only the account's zone says whether it is midnight there, and of which day. */
const asDay = (row: StatementRow, clock: string): StatementRow =>
  isPlain(clock) ? { ...row, booked: row.booked.slice(0, 10) } : { ...row, isOneTime: true }

/**
 * Holds the rows of a file until it is clear whether its times are real. If all are the same time of day, the bank or a
 * spreadsheet added it to bare days, and the sink gets days. That applies to midnight, and to any other time from three
 * rows on two days on. A single time with a zone is marked, because it may be midnight where the account is. Rows that
 * are not booked yet do not count. A long file may begin with bare days and continue with times, because the bank has
 * reported times since then: from the first other time on, that time of day is a real time, too. A reference that only counts
 * becomes a number.
 */
export const heldWhileOneTime = (sink: StatementSink): StatementSink & { end(): void } => {
  let held: (StatementRow | StatementBalance)[] | undefined = []
  let clock: string | undefined
  let rows = 0
  const days = new Set<string>()
  let isDayOnly = false
  const give = (each: StatementRow | StatementBalance): void => {
    if (!('direction' in each)) return sink.balance(each)
    const own = clockOf(each)
    if (own !== undefined && own !== clock) isDayOnly = false
    const row = withCount(each)
    sink.row(isDayOnly && own !== undefined ? asDay(row, own) : row)
  }
  const release = (dayOnly: boolean): void => {
    isDayOnly = dayOnly
    const before = held ?? []
    held = undefined
    for (const each of before) give(each)
  }
  /** Whether a row shows that the file has real times. */
  const showsTime = (row: StatementRow): boolean => {
    const own = clockOf(row)
    if (own === undefined) return false
    clock ??= own
    days.add(row.booked.slice(0, 10))
    rows++
    return own !== clock
  }
  return {
    row: (row) => {
      if (!held) return give(row)
      held.push(row)
      if (showsTime(row)) release(false)
      else if (held.length >= enoughRows) release(true)
    },
    balance: (balance) => (held ? void held.push(balance) : sink.balance(balance)),
    skip: (row) => sink.skip(row),
    fault: (line, reason) => sink.fault(line, reason),
    end: () => {
      const isOther = clock !== undefined && clock !== midnight && isPlain(clock)
      if (held) release(!isOther || (rows >= leastRows && days.size > 1))
    },
  }
}
