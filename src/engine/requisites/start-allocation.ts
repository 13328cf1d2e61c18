import type { Queryable } from 'payin-database'
import {
  addUsage,
  beyondFairShare,
  chooseRequisite,
  chooseShared,
  type Holders,
  hasUsageLimits,
  noUsage,
  sharersFor,
  subtractUsage,
  type Requisite,
  type RequisiteUsage,
  type RequisiteWish,
} from '../../rules/requisites/requisite.ts'
import { type Instant, periodStarts } from '../../rules/time.ts'
import type { RequisitePool } from './requisite-pool.ts'
import { listTakenSlots, listUsage, lockRequisites } from './store.ts'

export type Allocation = {
  readonly requisite: Requisite
  /** Whether it is believed to have no other open payment. */
  readonly isSole: boolean
  /** Whether the payment holds its amount next to others that share it. */
  readonly sharesSlot: boolean
}

/** Allocates requisites to a set of payments that are created together; remembers what it learned about slots. */
export type Allocator = {
  /** Chooses the requisite for a wish and counts it as used; `undefined` if none is free. */
  allocate(wish: RequisiteWish): Allocation | undefined
  /** Chooses a requisite whose holders of the amount share it, among the slots that were read. */
  share(wish: RequisiteWish): Allocation | undefined
  /** Counts a requisite as unused after all; its slot still counts as taken. */
  uncount(requisite: Requisite, wish: RequisiteWish): void
  /** Reads from the database which slots of the wishes' amounts are taken, and which requisites have open payments. */
  learnTaken(sql: Queryable, wishes: readonly RequisiteWish[]): Promise<void>
}

/** Usage of requisites at `now`, each by the day and month of its own time zone. */
export const readUsage = async (
  sql: Queryable,
  requisites: readonly Requisite[],
  now: Instant,
): Promise<Map<string, RequisiteUsage>> => {
  if (requisites.length === 0) return new Map()
  const periods = requisites.map(({ id, limits }) => {
    const { day: dayStart, month: monthStart } = periodStarts(now, limits.utcOffsetMinutes)
    return { id, dayStart, monthStart }
  })
  const rows = await sql.query(listUsage, {
    ids: periods.map(({ id }) => id),
    since: Math.min(...periods.map(({ monthStart }) => monthStart)),
    rows: periods,
  })
  return new Map(rows.map(({ requisiteId, ...usage }) => [requisiteId, usage]))
}

/** Whether any requisite that could serve the wishes has limits on its usage. */
export const needUsage = (pool: RequisitePool, wishes: readonly RequisiteWish[]): boolean =>
  wishes.some((wish) => pool.isLimited(wish))

/** The requisites whose usage the wishes require, each once. */
const limitedRequisites = (pool: RequisitePool, wishes: readonly RequisiteWish[]): Requisite[] => {
  const found = new Set<Requisite>()
  for (const wish of wishes) {
    for (const requisite of pool.offer(wish)) if (hasUsageLimits(requisite)) found.add(requisite)
  }
  return [...found]
}

/**
 * Starts an allocation. With `locked`, an open transaction, it locks requisites with limits and reads their usage, so
 * that no other node exceeds the limits; without it, no requisite of the wishes may have such limits.
 */
export const startAllocation = async (
  pool: RequisitePool,
  wishes: readonly RequisiteWish[],
  now: Instant,
  locked: Queryable | undefined,
): Promise<Allocator> => {
  const limited = locked ? limitedRequisites(pool, wishes) : []
  if (locked && limited.length > 0) await locked.query(lockRequisites, { ids: limited.map(({ id }) => id) })
  const usage = locked ? await readUsage(locked, limited, now) : new Map<string, RequisiteUsage>()
  const taken = new Map<string, Holders>()
  /** Amounts whose slots were read: of others, memory does not know what merchants hold. */
  const learned = new Set<bigint>()
  const slot = (requisiteId: string, amount: bigint): string => `${requisiteId} ${amount}`
  const usageOf = (requisiteId: string): RequisiteUsage => usage.get(requisiteId) ?? noUsage
  const take = (requisite: Requisite, wish: RequisiteWish): void => {
    const { amount, merchantId, mayShare = false } = wish
    const { holders, merchantIds } = taken.get(slot(requisite.id, amount)) ?? { holders: 0, merchantIds: [] }
    const after = { holders: holders + 1, merchantIds: [...merchantIds, merchantId], shares: mayShare }
    taken.set(slot(requisite.id, amount), after)
    if (hasUsageLimits(requisite)) usage.set(requisite.id, addUsage(usageOf(requisite.id), wish))
    pool.touch(requisite, now)
  }
  const beyondShare = (wish: RequisiteWish): ((requisite: Requisite) => boolean) => {
    if (!learned.has(wish.amount)) return () => false
    const isOwn = (id: string): boolean =>
      taken.get(slot(id, wish.amount))?.merchantIds.includes(wish.merchantId) ?? false
    return beyondFairShare(pool.offer(wish), wish, now, isOwn)
  }
  return {
    allocate: (wish) => {
      const isSlotTaken = (id: string): boolean => taken.has(slot(id, wish.amount))
      const requisite = chooseRequisite(pool.offer(wish), wish, now, {
        ...pool,
        ...{ usageOf, isSlotTaken, isBeyondShare: beyondShare(wish) },
      })
      if (!requisite) return undefined
      const isSole = !pool.hasOpenPayment(requisite.id)
      take(requisite, wish)
      return { requisite, isSole, sharesSlot: false }
    },
    share: (wish) => {
      const sharingOn = (each: Requisite): number | undefined =>
        sharersFor(wish, each, taken.get(slot(each.id, wish.amount)))
      const requisite = chooseShared(pool.offer(wish), wish, now, {
        ...{ usageOf, sharingOn, isBeyondShare: beyondShare(wish) },
      })
      if (!requisite) return undefined
      take(requisite, wish)
      return { requisite, isSole: false, sharesSlot: true }
    },
    uncount: (requisite, wish) => {
      if (hasUsageLimits(requisite)) usage.set(requisite.id, subtractUsage(usageOf(requisite.id), wish))
    },
    learnTaken: async (sql, again) => {
      await pool.learnUses(sql, now, 'again')
      const ids = new Set<string>()
      for (const wish of again) for (const requisite of pool.offer(wish)) ids.add(requisite.id)
      const rows = await sql.query(listTakenSlots, {
        requisiteIds: [...ids],
        amounts: [...new Set(again.map((wish) => wish.amount))],
        now,
      })
      taken.clear()
      for (const { amount } of again) learned.add(amount)
      for (const row of rows) taken.set(slot(row.requisiteId, row.amount), row)
    },
  }
}
