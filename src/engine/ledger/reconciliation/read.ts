import type { Context } from '../../context.ts'
import { endOfDay } from '../../../rules/money/reconciliation.ts'
import { refuseField, requireRow } from '../../../rules/refusal.ts'
import { day as dayMs, type Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { findOpeningBalance } from './set-opening-balance.ts'
import {
  findBankDay,
  findHeldAt,
  listBooked,
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

/** An hour's margin for clocks that differ: bookings are recorded after the bank made them. */
const firstIdSince = (from: Instant): string => leastIdAt(from - dayMs / 24)

/**
 * What the bank of a requisite has booked in a span, as far as it is known: in order, up to a limit, and what the account
 * held before, in minor units; `null` if its first balance was never set. Money that only the ledger has sent is left
 * out. `firstDay` is the first one that is known.
 */
export const readBooked = async (
  context: Context,
  { requisiteId, currency }: { readonly requisiteId: string; readonly currency: string },
  { from, to, limit }: { readonly from: Instant; readonly to: Instant; readonly limit: number },
) => {
  const [opened, [held], entries] = await Promise.all([
    findOpeningBalance(context, requisiteId),
    context.query(findHeldAt, { requisiteId, currency, at: from }),
    context.query(listBooked, { requisiteId, from, to, limit, firstId: firstIdSince(from) }),
  ])
  // A first balance below zero is proposed before it is set; the account counts as empty until then.
  const isKnown = opened !== undefined && (opened.proposedBy === null || opened.balance !== 0n)
  const opening = isKnown && held ? held.ledger + held.announced : null
  return { opening, firstDay: opened?.day, entries }
}

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
    context.query(sumBooked, { requisiteId, from: beginsAt, to: endsAt, firstId: firstIdSince(beginsAt) }),
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
