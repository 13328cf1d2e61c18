import type { Context } from '../../context.ts'
import { endOfDay } from '../../../rules/money/reconciliation.ts'
import { refuseField, requireRow } from '../../../rules/refusal.ts'
import { day as dayMs } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { findOpeningBalance } from './set-opening-balance.ts'
import {
  findBankDay,
  findHeldAt,
  listRefundsInTransit,
  listReversalsInTransit,
  selectReconciliations,
  sumBooked,
} from './store.ts'

type Wanted = Omit<Parameters<typeof selectReconciliations.encode>[0], 'onlyLast' | 'limit'> & {
  readonly onlyLast?: boolean
}

/**
 * Closing balances of one requisite or of all of a mode, for one day or the latest days first, each with what the
 * ledger held on the account at the end of the day, in minor units.
 */
export const listReconciliations = (context: Context, wanted: Wanted, limit: number) =>
  context.query(selectReconciliations, { onlyLast: false, ...wanted, limit })

const mostOfDay = 100

/**
 * A day of a requisite: what the ledger held at its beginning and its end, what was booked in between, and the closing
 * balances reported for its end. Refuses `resource_not_found`, and `validation_failed` for a day that has not begun.
 */
export const readDay = async (context: Context, requisiteId: string, day: string) => {
  const bank = requireRow(await context.query(findBankDay, { requisiteId }), 'requisite')
  const { currency, utcOffsetMinutes } = bank
  const endsAt = endOfDay(day, utcOffsetMinutes, context.clock())
  if (endsAt === undefined) throw refuseField('day', 'is not a day that has begun.')
  const beginsAt = endsAt - dayMs
  const held = { requisiteId, currency }
  const unsent = { requisiteId, at: endsAt, limit: mostOfDay }
  const [[before], [after], movements, closings, opening, refundsInTransit, reversalsInTransit] = await Promise.all([
    context.query(findHeldAt, { ...held, at: beginsAt }),
    context.query(findHeldAt, { ...held, at: endsAt }),
    // An hour's margin for clocks that differ: bookings are recorded after the bank made them.
    context.query(sumBooked, { requisiteId, from: beginsAt, to: endsAt, firstId: leastIdAt(beginsAt - dayMs / 24) }),
    listReconciliations(context, { requisiteId, mode: 'live', day }, mostOfDay),
    findOpeningBalance(context, requisiteId),
    context.query(listRefundsInTransit, unsent),
    context.query(listReversalsInTransit, unsent),
  ])
  return {
    currency,
    beginsAt,
    endsAt,
    movements,
    closings,
    opening,
    refundsInTransit,
    reversalsInTransit,
    before: before?.ledger ?? 0n,
    ledger: after?.ledger ?? 0n,
    possibleDuplicates: after?.possibleDuplicates ?? 0n,
    unproven: after?.unproven ?? 0n,
    inTransit: after?.inTransit ?? 0n,
    overdue: after?.overdue ?? 0n,
  }
}
