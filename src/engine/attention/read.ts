import type { Context } from '../context.ts'
import { serviceBooks } from '../../rules/money/ledger.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import { isRateUsable } from '../../rules/money/rate.ts'
import { day, type Instant } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import { type MeasuredKind, waitingKindNames } from '../../rules/notices/waiting.ts'
import { currentRates } from '../merchants/rates/rate.ts'
import { listAges, listOpenChecks, listWaiting, selectPaidShares } from './store.ts'

const earliest = (times: readonly (Instant | null)[]): Instant | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/**
 * Everything of a mode that waits, and what has none (rates, statements), by kind, the most urgent first: how many, when
 * the oldest began to wait, the next deadline, and the money.
 */
export const getWaiting = async (context: Context, mode: MerchantMode) => {
  const now = context.clock()
  const [rows, rates] = await Promise.all([
    context.query(listWaiting, { mode, serviceBook: serviceBooks[mode] }),
    context.catalog.get(currentRates),
  ])
  const stale = [...rates.values()].filter((rate) => !isRateUsable(rate, now))
  const staleRows = stale.map(({ validUntil: since }) => {
    return { kind: 'stale-rates' as const, count: 1, since, dueAt: null, currency: null, amount: null }
  })
  return [...waitingKindNames, 'part-paid' as const].map((kind: MeasuredKind) => {
    const own = [...rows, ...staleRows].filter((row) => row.kind === kind)
    return {
      kind,
      count: own.reduce((sum, row) => sum + row.count, 0),
      since: earliest(own.map((row) => row.since)),
      dueAt: earliest(own.map((row) => row.dueAt)),
      amounts: own.flatMap(({ currency, amount }) =>
        currency === null || amount === null ? [] : { currency, amount },
      ),
    }
  })
}

/** Money that nobody has decided about, by kind, currency and age, the youngest first. */
export const listAgedMoney = (context: Context, mode: MerchantMode) =>
  context.query(listAges, { mode, now: context.clock() })

/** How many incidents of each rule are open (broken invariants separately), and when each rule was last checked. */
export const getOpenChecks = (context: Context) => context.query(listOpenChecks, {})

/** How long ago the payments were created, and how many of a merchant are counted, the latest ones. */
const span = 30 * day
const mostPayments = 5000

/** Which share of each live merchant's payments was paid, by the move of the rate; the largest difference first. */
export const listPaidShares = async (context: Context) => {
  const now = context.clock()
  const rows = await context.query(selectPaidShares, { now, leastId: leastIdAt(now - span), limit: mostPayments })
  const differenceOf = ({ favoured, favouredPaid, others, othersPaid }: (typeof rows)[number]): number =>
    favouredPaid / (favoured || 1) - othersPaid / (others || 1)
  return rows.toSorted((a, b) => differenceOf(b) - differenceOf(a))
}
