import type { RequisiteAnswer } from '../../../../src/operations/requisites.ts'
import type { Query } from '../../api/client.ts'
import { requisiteName } from '../../api/requisites.ts'
import type { Filter } from '../../table/filter-bar.tsx'
import { fromWithin, spans } from '../../table/within.ts'
import { amountPattern } from '../../money.ts'

const unusualWords = {
  amount: 'Another amount',
  late: 'Came late',
  'paid-again': 'Paid again',
  disputed: 'Disputed',
  duplicate: 'May be a duplicate',
}

const dayMs = 24 * 60 * 60_000

/** The filters of the queue. */
export const matchingFilters = (requisites: readonly RequisiteAnswer[]): readonly Filter[] => [
  {
    name: 'requisiteId',
    label: 'Any requisite',
    options: requisites.map((each) => ({ value: each.id, label: requisiteName(each) })),
    searchable: true,
    width: 180,
  },
  { name: 'amount', label: 'Amount', pattern: amountPattern(), width: 92 },
  { name: 'within', label: 'Any time', options: spans, width: 118 },
  { name: 'day', label: 'Day: 2026-01-31', pattern: /^\d{4}-\d{2}-\d{2}$/, width: 130 },
  { name: 'sender', label: "Sender's whole number", pattern: /^\+?\d[\d ()-]{3,39}$/, width: 180 },
  {
    name: 'unusual',
    label: 'Exceptions',
    options: Object.entries(unusualWords).map(([value, label]) => ({ value, label })),
    width: 136,
  },
  {
    name: 'sort',
    label: 'Order',
    options: [
      { value: 'oldest', label: 'Oldest first' },
      { value: 'newest', label: 'Newest first' },
    ],
    usual: 'oldest',
    width: 124,
  },
]

/**
 * The query of the queue: of live money, unless the address, a requisite or a statement says otherwise. An amount is in the currency of the chosen requisite, or in the one that all have; a day
 * becomes a span.
 */
export const toTransferQuery = (filters: Query, requisites: readonly RequisiteAnswer[]): Query => {
  const { amount, day, ...others } = fromWithin(filters)
  const [first, ...further] = new Set(
    requisites
      .filter(({ id }) => others['requisiteId'] === undefined || others['requisiteId'] === id)
      .map(({ currency }) => currency),
  )
  const currency = others['currency'] ?? (further.length === 0 ? first : undefined)
  const begins = day === undefined ? Number.NaN : new Date(`${day}T00:00:00`).getTime()
  return {
    ...(others['requisiteId'] === undefined && others['statementId'] === undefined && { mode: 'live' }),
    ...others,
    ...(amount === undefined || currency === undefined ? {} : { currency, amountFrom: amount, amountTo: amount }),
    ...(Number.isNaN(begins)
      ? {}
      : { from: new Date(begins).toISOString(), to: new Date(begins + dayMs).toISOString() }),
  }
}
