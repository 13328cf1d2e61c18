import type { Context } from '../context.ts'
import { methodRules, type PaymentMethod } from '../domain/payment-method.ts'
import {
  hasUsageLimits,
  judgeRequisite,
  noUsage,
  type Requisite,
  type RequisiteRefusal,
  type RequisiteWish,
} from '../domain/requisite.ts'
import type { Instant } from '../domain/time.ts'
import { requisitePool } from './requisite-pool.ts'
import { readUsage } from './start-allocation.ts'
import { listTakenSlots } from './store.ts'

/** How many requisites of one method and bank could take a payment of one amount now, and why the others could not. */
export type SlotForecast = {
  readonly method: PaymentMethod
  readonly bankIssuer: string
  readonly amount: bigint
  readonly requisites: number
  readonly free: number
  readonly refused: ReadonlyMap<RequisiteRefusal, number>
  /** When the next slot that is taken now becomes free, unless its payment is credited or closed before. */
  readonly nextFreeAt: Instant | null
}

/** Forecasts what a merchant's next payments would find, by method, bank and amount, as the allocator judges it. */
export const forecastSlots = async (
  context: Context,
  merchant: Pick<RequisiteWish, 'merchantId' | 'mode' | 'ownOnly'>,
  wanted: {
    readonly methods: readonly PaymentMethod[]
    readonly currency: string
    readonly amounts: readonly bigint[]
  },
): Promise<SlotForecast[]> => {
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const wishes = wanted.methods.flatMap((method) =>
    wanted.amounts.map((amount): RequisiteWish => {
      const { transferScope } = methodRules[method]
      return { ...merchant, method, currency: wanted.currency, transferScope, bankIssuer: null, amount }
    }),
  )
  const offered = [...new Set(wishes.flatMap((wish) => [...pool.offer(wish)]))]
  const usage = await readUsage(context, offered.filter(hasUsageLimits), now)
  const rows = await context.query(listTakenSlots, {
    requisiteIds: offered.map((each) => each.id),
    amounts: wanted.amounts,
    now,
  })
  const taken = new Map(rows.map((row) => [`${row.requisiteId} ${row.amount}`, row.heldUntil]))
  const forecast = (wish: RequisiteWish, bankIssuer: string, members: readonly Requisite[]): SlotForecast => {
    const slotOf = (id: string): Instant | undefined => taken.get(`${id} ${wish.amount}`)
    const verdicts = members.map((each) => ({
      id: each.id,
      refused: judgeRequisite(each, wish, now, {
        usageOf: (id) => usage.get(id) ?? noUsage,
        isSlotTaken: (id) => slotOf(id) !== undefined,
      }),
    }))
    const refused = new Map<RequisiteRefusal, number>()
    for (const { refused: why } of verdicts) if (why !== undefined) refused.set(why, (refused.get(why) ?? 0) + 1)
    const ends = verdicts.flatMap(({ id, refused: why }) => (why === 'slot-taken' ? (slotOf(id) ?? []) : []))
    return {
      method: wish.method,
      bankIssuer,
      amount: wish.amount,
      requisites: members.length,
      free: verdicts.filter((verdict) => verdict.refused === undefined).length,
      refused,
      nextFreeAt: ends.length > 0 ? Math.min(...ends) : null,
    }
  }
  return wishes.flatMap((wish) => {
    const banks = Map.groupBy([...pool.offer(wish)], (each) => each.bankIssuer)
    const inOrder = [...banks].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return inOrder.map(([bankIssuer, members]) => forecast(wish, bankIssuer, members))
  })
}
