import {
  type StatementBalance,
  type StatementRow,
  type StatementSink,
  withoutMidnight,
} from '../../domain/statement.ts'

/** No bank books this many rows at midnight one after another: what begins with them has days and no times. */
const enoughRows = 2000

const hasTime = ({ booked }: StatementRow): boolean => booked.length > 10

/** Whether a row says that its file has times: it is booked, and not at midnight. */
const showsTime = (row: StatementRow): boolean =>
  row.kind !== 'pending' && hasTime(row) && hasTime({ ...row, booked: withoutMidnight(row.booked) })

/**
 * Holds the rows of a file until it is known whether its times are times: where the clock of every row is at midnight, the
 * bank has written days, which the sink gets. Rows that are not booked yet are not asked. A long file may begin with days
 * and go on with times, because the bank has times since then: from its first time on, midnight is a time, too.
 */
export const heldWhileMidnight = (sink: StatementSink): StatementSink & { end(): void } => {
  let held: (StatementRow | StatementBalance)[] | undefined = []
  let rows = 0
  let isDayOnly = false
  const give = (each: StatementRow | StatementBalance): void => {
    if (!('direction' in each)) sink.balance(each)
    else {
      if (showsTime(each)) isDayOnly = false
      sink.row(isDayOnly ? { ...each, booked: withoutMidnight(each.booked) } : each)
    }
  }
  const release = (dayOnly: boolean): void => {
    isDayOnly = dayOnly
    const before = held ?? []
    held = undefined
    for (const each of before) give(each)
  }
  return {
    row: (row) => {
      if (!held) return give(row)
      held.push(row)
      if (showsTime(row)) release(false)
      else if (++rows >= enoughRows) release(true)
    },
    balance: (balance) => (held ? void held.push(balance) : sink.balance(balance)),
    skip: (row) => sink.skip(row),
    fault: (line, reason) => sink.fault(line, reason),
    end: () => {
      if (held) release(true)
    },
  }
}
