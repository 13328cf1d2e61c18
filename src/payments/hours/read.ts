import type { Context } from '../../context.ts'
import type { Merchant } from '../../domain/merchant.ts'
import { addTotals, noPayments, type PaymentTotals } from '../../domain/payment-totals.ts'
import type { Instant } from '../../domain/time.ts'
import { leastIdAt } from '../../domain/uuid-bounds.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { hourIdsOf } from './count-hours.ts'
import { findMedian, sumHours } from './store.ts'

/** Most payments, the newest ones, of which the time to the credit is looked at. */
const mostTimed = 10_000

/** Which payments are summed up; the times are whole hours. */
type SummedPayments = {
  readonly from: Instant
  readonly to: Instant
  /** Default: all merchants of the mode. */
  readonly merchantId: string | null
  /** Default: live ones, unless there are only those of a sandbox. */
  readonly mode: Merchant['mode'] | null
}

type Credited = { readonly currency: string; readonly amount: bigint }
/** What became of a group of payments, and their money that was credited, by currency. */
export type Totals = PaymentTotals & { readonly credited: readonly Credited[] }

type Row = PaymentTotals & { readonly currency: string; readonly credited: bigint }

const together = (rows: readonly Row[]): Totals => {
  const credited = new Map<string, bigint>()
  for (const { currency, credited: amount } of rows) credited.set(currency, (credited.get(currency) ?? 0n) + amount)
  return {
    ...rows.reduce(addTotals, noPayments),
    credited: [...credited]
      .filter(([, amount]) => amount > 0n)
      .map(([currency, amount]) => ({ currency, amount }))
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1)),
  }
}

/** The groups of some rows under a name of theirs; rows without it are of other groups. */
const groupsOf = <Key extends string | number, R extends Row>(rows: readonly R[], keyOf: (row: R) => Key | null) => {
  const keyed = rows.flatMap((row) => {
    const key = keyOf(row)
    return key === null ? [] : [[key, row] as const]
  })
  return [...Map.groupBy(keyed, ([key]) => key)].map(
    ([key, group]) => [key, together(group.map(([, row]) => row))] as const,
  )
}

const mostCreated = (one: PaymentTotals, other: PaymentTotals): number => other.created - one.created

/** The merchants that are summed up, which all have one mode. */
const merchantsOf = async (context: Context, { merchantId, mode }: SummedPayments) => {
  const all = [...(await context.catalog.get(merchantDirectory)).values()].map(({ merchant }) => merchant)
  if (merchantId !== null) {
    const one = all.filter(({ id }) => id === merchantId)
    return { mode: one[0]?.mode ?? 'live', merchantIds: one.map(({ id }) => id) }
  }
  const isSandbox = all.length > 0 && all.every((each) => each.mode === 'sandbox')
  const chosen = mode ?? (isSandbox ? 'sandbox' : 'live')
  return { mode: chosen, merchantIds: all.filter((each) => each.mode === chosen).map(({ id }) => id) }
}

/**
 * What became of the payments that were created in a period, exactly as they are now. Hours, methods and banks without
 * payments are left out. Takes as long for a busy month as for a quiet one: most hours are counted beforehand.
 */
export const summarizePayments = async (context: Context, summed: SummedPayments) => {
  const { mode, merchantIds } = await merchantsOf(context, summed)
  const { from, to: until } = summed
  const ids = { fromId: leastIdAt(from), untilId: leastIdAt(until) }
  const perMerchant = Math.ceil(mostTimed / Math.max(1, merchantIds.length))
  const [rows, [median]] = await Promise.all([
    context.query(sumHours, { merchantIds, from, until, untilId: ids.untilId, hourIds: hourIdsOf(from, until) }),
    context.query(findMedian, { merchantIds, ...ids, scanned: mostTimed, perMerchant }),
  ])
  const hours = groupsOf(rows, (row) => row.hour)
  return {
    mode,
    total: together(rows.filter((row) => row.hour !== null)),
    /** Of those credited, half took longer; `null` while none is. */
    medianMs: median === undefined || median.medianMs === null ? null : Number(median.medianMs),
    hours: hours.map(([at, totals]) => ({ at, ...totals })).toSorted((one, other) => one.at - other.at),
    methods: groupsOf(rows, (row) => row.method)
      .map(([method, totals]) => ({ method, ...totals }))
      .toSorted(mostCreated),
    banks: groupsOf(rows, (row) => row.bank)
      .map(([bank, totals]) => ({ bank, ...totals }))
      .toSorted(mostCreated),
  }
}
