import type { Context } from '../context.ts'
import { serviceBooks } from '../../rules/money/ledger.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import { isRateUsable } from '../../rules/money/rate.ts'
import { day, type Instant } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import { type MeasuredKind, waitingKindNames } from '../../rules/notices/waiting.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { listRateProposals } from '../merchants/rates/agree-on-price.ts'
import { currentRates } from '../merchants/rates/rate.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { listAges, listOpenChecks, listWaiting, selectPaidShares } from './store.ts'

const earliest = (times: readonly (Instant | null)[]): Instant | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/**
 * The currencies of live requisites and merchants, and whether payments need the rate of one: not if all merchants quote
 * in it, and no requisite is of another one.
 */
export const readUse = async ({ catalog }: Context) => {
  const [{ byId }, merchants] = await Promise.all([catalog.get(requisitePool), catalog.get(merchantDirectory)])
  const live = byId.values().filter(({ status, mode }) => status === 'active' && mode === 'live')
  const used = new Set(live.map(({ currency }) => currency))
  const quoted = merchants
    .values()
    .filter(({ merchant }) => merchant.mode === 'live' && merchant.status === 'active')
    .map(({ merchant }) => merchant.settings.quoteCurrency)
    .toArray()
  const isNeeded = (currency: string): boolean =>
    quoted.length === 0 || quoted.some((each) => each !== currency || used.values().some((other) => other !== currency))
  return { used: used.union(new Set(quoted)), isNeeded }
}

/**
 * Everything of a mode that waits, and rates, which have none, by kind, the most urgent first: how many, when
 * the oldest began to wait, the next deadline, and the money.
 */
export const getWaiting = async (context: Context, mode: MerchantMode) => {
  const now = context.clock()
  const [rows, rates, proposals, { isNeeded }] = await Promise.all([
    context.query(listWaiting, { mode, serviceBook: serviceBooks[mode] }),
    context.catalog.get(currentRates),
    listRateProposals(context),
    readUse(context),
  ])
  const stale = [...rates.values()].filter((rate) => !isRateUsable(rate, now) && isNeeded(rate.currency))
  const staleRows = stale.map(({ validUntil: since }) => {
    return { kind: 'stale-rates' as const, count: 1, since, dueAt: null, currency: null, amount: null }
  })
  const proposalRows = proposals.map(({ proposedAt: since }) => {
    return { kind: 'rate-proposals' as const, count: 1, since, dueAt: since + day, currency: null, amount: null }
  })
  return [...waitingKindNames, 'part-paid' as const].map((kind: MeasuredKind) => {
    const own = [...rows, ...staleRows, ...proposalRows].filter((row) => row.kind === kind)
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
