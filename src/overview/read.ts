import type { Context } from '../context.ts'
import { isRateUsable } from '../domain/rate.ts'
import type { Instant } from '../domain/time.ts'
import { type WaitingKind, waitingKinds } from '../domain/waiting.ts'
import { currentRates } from '../merchants/rates/current-rates.ts'
import { listTroubledEndpoints } from '../notifications/endpoints/read.ts'
import { listWaiting } from './store.ts'

/** Things of one kind that wait for an operator. */
export type Waiting = {
  readonly kind: WaitingKind
  readonly count: number
  /** When the oldest began to wait, where that is known. */
  readonly since: Instant | null
  /** The next deadline. */
  readonly dueAt: Instant | null
  readonly amounts: readonly { readonly currency: string; readonly amount: bigint }[]
}

type Row = Omit<Waiting, 'amounts'> & { readonly currency: string | null; readonly amount: bigint | null }

const noMoney = { currency: null, amount: null, dueAt: null }

const earliest = (times: readonly (Instant | null)[]): Instant | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Everything that waits for an operator, the most urgent kinds first; kinds of which nothing waits are left out. */
export const getWaiting = async (context: Context): Promise<Waiting[]> => {
  const now = context.clock()
  const [rows, endpoints, rates] = await Promise.all([
    context.query(listWaiting, {}),
    listTroubledEndpoints(context),
    context.catalog.get(currentRates),
  ])
  const stale = [...rates.values()].filter((rate) => !isRateUsable(rate, now))
  const all: readonly Row[] = [
    ...rows,
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
