import type { Context } from '../../context.ts'
import type { Payment } from '../../../rules/payments/payment.ts'
import {
  type Count,
  cutSorted,
  isByValue,
  type ListPage,
  type ListSort,
  mostCounted,
  type ScannedPage,
  scanLengths,
  scanPage,
} from '../../../rules/list-page.ts'
import type { Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { listPaymentsById } from '../store.ts'
import { countMatching, scanPayments, sortPayments } from './store.ts'

/** Which payments are listed; `null` for all. */
export type PaymentFilter = Omit<
  Parameters<typeof countMatching.encode>[0],
  'requisiteIds' | 'from' | 'to' | 'most'
> & {
  /** The bank of the requisite, or of the one that the payer saw first. */
  readonly bank: string | null
  readonly requisiteId: string | null
  /** Creation time: inclusive, exclusive. */
  readonly from: Instant | null
  readonly to: Instant | null
}

/** Most payments that a page scans: of a million payments, 10,000 take about 40 ms. */
const mostScanned = 10_000

const requisitesOf = async (
  context: Context,
  { bank, requisiteId }: Pick<PaymentFilter, 'bank' | 'requisiteId'>,
): Promise<string[] | null> => {
  if (bank === null) return requisiteId === null ? null : [requisiteId]
  const { byId } = await context.catalog.get(requisitePool)
  const ofBank = [...byId.values()].filter(({ bankIssuer }) => bankIssuer === bank).map(({ id }) => id)
  return requisiteId === null ? ofBank : ofBank.filter((id) => id === requisiteId)
}

const toParameters = async (context: Context, { from, to, bank, requisiteId, ...filter }: PaymentFilter) => ({
  ...filter,
  requisiteIds: await requisitesOf(context, { bank, requisiteId }),
  from: from === null ? null : leastIdAt(from),
  to: to === null ? null : leastIdAt(to),
})

/** Whether a filter has a condition that no index in the order of the sort can meet. */
const isFiltered = (filter: PaymentFilter, sort: ListSort): boolean => {
  const { merchantId: _, linkId, from, to, status, acknowledged, currency, amountFrom, amountTo, ...others } = filter
  const indexed = isByValue(sort) ? [from, to] : [currency, amountFrom, amountTo]
  return (
    (status !== null && (isByValue(sort) || status !== 'disput')) ||
    (acknowledged !== null && (isByValue(sort) || acknowledged)) ||
    (linkId !== null && isByValue(sort)) ||
    [...indexed, ...Object.values(others)].some((value) => value !== null)
  )
}

/** Whether an index may narrow the payments down to so few that all of them can be sorted. */
const mayBeFew = ({ from, to, status, acknowledged, linkId }: PaymentFilter): boolean =>
  linkId !== null || from !== null || to !== null || status === 'disput' || acknowledged === false

/** A page of payments that match a filter. Sorted by amount, all must have one currency. */
export const listMatchingPayments = async (
  context: Context,
  filter: PaymentFilter,
  page: ListPage,
): Promise<Omit<ScannedPage, 'keys'> & { readonly payments: Payment[] }> => {
  const { sort, after, limit } = page
  const at = { after: after?.id ?? null, afterValue: after?.value ?? null, limit: limit + 1 }
  const owners = filter.merchantId === null ? (await context.catalog.get(merchantDirectory)).size : 1
  const parameters = { ...(await toParameters(context, filter)), ...at }
  const few =
    (sort === 'amount' || sort === '-amount') && mayBeFew(filter)
      ? cutSorted(await context.query(sortPayments[sort], { ...parameters, scanned: mostScanned }), page)
      : null
  const scan = (scanned: number) => context.query(scanPayments[sort], { ...parameters, scanned })
  const { keys, ...rest } =
    few ?? (await scanPage(scanLengths(page, isFiltered(filter, sort), mostScanned, owners), page, scan))
  const wanted = keys.map(({ ownerId, id }) => ({ merchantId: ownerId, paymentId: id }))
  const found = wanted.length === 0 ? [] : await context.query(listPaymentsById, { rows: wanted })
  const byId = new Map(found.map((payment) => [payment.id, payment]))
  return { ...rest, payments: keys.flatMap(({ id }) => byId.get(id) ?? []) }
}

/** How many payments match a filter. */
export const countPayments = async (context: Context, filter: PaymentFilter): Promise<Count> => {
  const parameters = await toParameters(context, filter)
  const [row] = await context.query(countMatching, { ...parameters, most: mostCounted + 1 })
  const { matching = 0, examined = 0 } = row ?? {}
  return { matching: Math.min(matching, mostCounted), isExact: examined <= mostCounted }
}
