import type { Context } from '../context.ts'
import { methodRules, type PaymentMethod } from '../../rules/values/payment-method.ts'
import {
  chooseRequisite,
  chooseShared,
  judgeRequisite,
  type RequisiteVerdict,
  type RequisiteWish,
  roomLeft,
  sharersFor,
  type Requisite,
  type RequisiteRefusal,
} from '../../rules/requisites/requisite.ts'
import type { Instant } from '../../rules/time.ts'
import { readOccupancy } from './read-occupancy.ts'
import { requisitePool } from './requisite-pool.ts'

type Occupied = ReturnType<Awaited<ReturnType<typeof readOccupancy>>>

/** Why a requisite is refused; a taken amount does not refuse a payment that may share it. */
const judge = (
  requisite: Requisite,
  wish: RequisiteWish,
  now: Instant,
  occupancy: Occupied,
): RequisiteRefusal | undefined => {
  const isSlotTaken = (id: string): boolean => occupancy.isSlotTaken(id) && occupancy.sharingOn(requisite) === undefined
  return judgeRequisite(requisite, wish, now, { ...occupancy, isSlotTaken })
}

/** Explains which requisite a payment would get right now, and why each of the others would not be chosen. */
export const explainAllocation = async (context: Context, wish: RequisiteWish) => {
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const all = [...pool.byId.values()]
  const occupancyAt = await readOccupancy(context, all, [wish.amount], now)
  await pool.learnUses(context, now, 'again')
  const occupancy = { ...pool, ...occupancyAt(wish) }
  const chosen =
    chooseRequisite(pool.offer(wish), wish, now, occupancy) ?? chooseShared(pool.offer(wish), wish, now, occupancy)
  const verdicts = all.map((requisite): RequisiteVerdict => {
    const held = occupancy.slotOf(requisite.id)
    const mayJoin = sharersFor({ ...wish, mayShare: true }, requisite, held) !== undefined
    return {
      requisite,
      refused: judge(requisite, wish, now, occupancy) ?? null,
      hasOpenPayment: pool.hasOpenPayment(requisite.id),
      room: roomLeft(requisite, occupancy.usageOf(requisite.id)),
      held: held ? { ...held, shares: mayJoin } : null,
    }
  })
  return { chosenId: chosen?.id ?? null, verdicts }
}

/**
 * Forecasts what a merchant's next payments would find, by method, bank and amount: how many requisites could take one
 * now, and why the others could not, by the allocator's rules. `mayShare` tells whether they may share equal amounts.
 */
export const forecastSlots = async (
  context: Context,
  merchant: Pick<RequisiteWish, 'merchantId' | 'mode' | 'ownOnly'>,
  mayShare: (method: PaymentMethod) => boolean,
  wanted: {
    readonly methods: readonly PaymentMethod[]
    readonly currency: string
    readonly amounts: readonly bigint[]
  },
) => {
  const pool = await context.catalog.get(requisitePool)
  const now = context.clock()
  const wishes = wanted.methods.flatMap((method) =>
    wanted.amounts.map((amount): RequisiteWish => {
      const kind = {
        method,
        currency: wanted.currency,
        transferScope: methodRules[method].transferScope,
        bankIssuer: null,
      }
      return { ...merchant, ...kind, amount, mayShare: mayShare(method) }
    }),
  )
  const offered = [...new Set(wishes.flatMap((wish) => [...pool.offer(wish)]))]
  const occupancyAt = await readOccupancy(context, offered, wanted.amounts, now)
  const forecast = (wish: RequisiteWish, bankIssuer: string, members: readonly Requisite[]) => {
    const occupancy = occupancyAt(wish)
    const verdicts = members.map((each) => ({ id: each.id, refused: judge(each, wish, now, occupancy) }))
    const refused = new Map<RequisiteRefusal, number>()
    for (const { refused: why } of verdicts) if (why !== undefined) refused.set(why, (refused.get(why) ?? 0) + 1)
    const ends = verdicts.flatMap(({ id, refused: why }) =>
      why === 'slot-taken' ? (occupancy.slotOf(id)?.heldUntil ?? []) : [],
    )
    return {
      method: wish.method,
      bankIssuer,
      amount: wish.amount,
      requisites: members.length,
      free: verdicts.filter((verdict) => verdict.refused === undefined).length,
      refused,
      /** When the next held slot becomes free, unless its payment is credited or closed before. */
      nextFreeAt: ends.length > 0 ? Math.min(...ends) : null,
    }
  }
  return wishes.flatMap((wish) => {
    const banks = Map.groupBy([...pool.offer(wish)], (each) => each.bankIssuer)
    const inOrder = [...banks].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return inOrder.map(([bankIssuer, members]) => forecast(wish, bankIssuer, members))
  })
}
