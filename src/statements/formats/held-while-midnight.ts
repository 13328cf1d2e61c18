import {
  type StatementBalance,
  type StatementRow,
  type StatementSink,
  withoutMidnight,
} from '../../domain/statement.ts'

/** After this many rows at midnight a file has no times. */
const enoughRows = 2000

const hasTime = ({ booked }: StatementRow): boolean => booked.length > 10

/**
 * Holds the rows of a file until it is known whether its times are times: where the clock of every row is at midnight, the
 * bank has written days, which the sink gets. Rows that are not booked yet are not asked.
 */
export const heldWhileMidnight = (sink: StatementSink): StatementSink & { end(): void } => {
  let held: (StatementRow | StatementBalance)[] | undefined = []
  let rows = 0
  let isDayOnly = false
  const give = (each: StatementRow | StatementBalance): void => {
    if (!('direction' in each)) sink.balance(each)
    else sink.row(isDayOnly ? { ...each, booked: withoutMidnight(each.booked) } : each)
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
      if (row.kind !== 'pending' && hasTime(row) && hasTime({ ...row, booked: withoutMidnight(row.booked) }))
        release(false)
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
