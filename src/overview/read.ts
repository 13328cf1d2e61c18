import type { Context } from '../context.ts'
import { serviceBooks } from '../domain/ledger.ts'
import type { MerchantMode } from '../domain/merchant.ts'
import { isRateUsable } from '../domain/rate.ts'
import type { Instant } from '../domain/time.ts'
import { type WaitingKind, waitingKinds } from '../domain/waiting.ts'
import { currentRates } from '../merchants/rates/rate.ts'
import { listTroubledEndpoints } from '../notifications/endpoints/read.ts'
import { listOpenChecks, listPartPaid, listWaiting } from './store.ts'

/** Waiting items of one kind. */
export type Waiting = {
  readonly kind: WaitingKind
  readonly count: number
  /** When the oldest item began to wait, if known. */
  readonly since: Instant | null
  /** The next deadline. */
  readonly dueAt: Instant | null
  readonly amounts: readonly { readonly currency: string; readonly amount: bigint }[]
}

type Money = { readonly currency: string | null; readonly amount: bigint | null }
type Row = Omit<Waiting, 'amounts'> & Money
type StoredRow = Omit<Row, 'kind'> & { readonly kind: Exclude<WaitingKind, 'transfers'> | 'inbox' }

const noMoney = { currency: null, amount: null, dueAt: null }

const earliest = (times: readonly (Instant | null)[]): Instant | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The inbox without possible duplicates. */
const withoutDuplicates = (rows: readonly StoredRow[]): Row[] => {
  const duplicates = new Map(
    rows.filter(({ kind }) => kind === 'possible-duplicates').map((row) => [row.currency, row]),
  )
  return rows.map(({ kind, ...row }) => {
    if (kind !== 'inbox') return { kind, ...row }
    const other = duplicates.get(row.currency)
    const amount = (row.amount ?? 0n) - (other?.amount ?? 0n)
    return { ...row, kind: 'transfers', count: row.count - (other?.count ?? 0), amount }
  })
}

/** Everything of a mode that waits for an operator, and what has none (rates, endpoints, statements), the most urgent kinds first; kinds without items are left out. */
export const getWaiting = async (context: Context, mode: MerchantMode): Promise<Waiting[]> => {
  const now = context.clock()
  const [rows, endpoints, rates] = await Promise.all([
    context.query(listWaiting, { mode, serviceBook: serviceBooks[mode] }),
    listTroubledEndpoints(context),
    context.catalog.get(currentRates),
  ])
  const stale = [...rates.values()].filter((rate) => !isRateUsable(rate, now))
  const all: readonly Row[] = [
    ...withoutDuplicates(rows),
    { kind: 'stale-rates', count: stale.length, since: earliest(stale.map((rate) => rate.validUntil)), ...noMoney },
    { kind: 'troubled-endpoints', count: endpoints.length, since: null, ...noMoney },
  ]
  return waitingKinds.flatMap((kind) => {
    const own = all.filter((row) => row.kind === kind && row.count > 0)
    if (own.length === 0) return []
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

/** How many incidents of each rule are open (broken invariants separately), and when each rule was last checked. */
export const getOpenChecks = (context: Context) => context.query(listOpenChecks, {})

/** Partly paid live payments that wait for the rest, by currency. They wait only for their payers. */
export const getPartPaid = (context: Context) => context.query(listPartPaid, { mode: 'live' })
