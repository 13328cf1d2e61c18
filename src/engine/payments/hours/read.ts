import type { Context } from '../../context.ts'
import type { Merchant } from '../../../rules/merchants/merchant.ts'
import { addTotals, noPayments, type PaymentTotals } from '../../../rules/payments/payment-totals.ts'
import type { Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { hourIdsOf } from './count-hours.ts'
import { findMedian, sumHours } from './store.ts'

/** The median time to credit is computed over this many payments, the newest ones. */
const mostTimed = 10_000

/** Which payments are summed up; both times are whole hours. */
type SummedPayments = {
  readonly from: Instant
  readonly to: Instant
  /** Default: all merchants of the mode. */
  readonly merchantId: string | null
  /** Default: live; sandbox if there are only sandbox merchants. */
  readonly mode: Merchant['mode'] | null
}

type Credited = { readonly currency: string; readonly amount: bigint }
/** Totals of a group of payments, and the money credited, by currency. */
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

/** Rows grouped by a key; rows without that key belong to another grouping. */
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

/** The merchants that are summed up; all have the same mode. */
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
 * Totals of the payments created in a period, exactly as they are now. Hours, methods and banks without payments are
 * left out. A busy month takes no longer than a quiet one: most hours are counted beforehand.
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
    /** Median time to credit; `null` if none was credited. */
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
