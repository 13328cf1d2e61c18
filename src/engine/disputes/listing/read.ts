import type { Context } from '../../context.ts'
import type { Dispute, DisputeSort, DisputeState } from '../../../rules/payments/dispute.ts'
import {
  type Count,
  isByValue,
  type ListPage,
  mostCounted,
  type ScannedPage,
  scanLengths,
  scanPage,
} from '../../../rules/list-page.ts'
import type { Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { listDisputesById } from '../read.ts'
import { countMatching, scanDisputes, scanDueDisputes } from './store.ts'

/** Which disputes are listed; `null` for all. */
export type DisputeFilter = {
  readonly merchantId: string | null
  readonly state: DisputeState | 'undecided' | null
  readonly currency: string | null
  /** The claimed amount in minor units, inclusive. */
  readonly amountFrom: bigint | null
  readonly amountTo: bigint | null
  /** Opening time: inclusive, exclusive. */
  readonly from: Instant | null
  readonly to: Instant | null
}

/** Most disputes that a page scans: each may need its payment. */
const mostScanned = 5000

/** Whether a filter leaves only undecided disputes, so that they can be sorted by deadline. */
export const isOfUndecided = ({ state }: Pick<DisputeFilter, 'state'>): boolean =>
  state === 'undecided' || state === 'open' || state === 'proposed'

const toParameters = ({ from, to, state, ...filter }: DisputeFilter) => ({
  ...filter,
  state: state === 'undecided' ? null : state,
  from: from === null ? null : leastIdAt(from),
  to: to === null ? null : leastIdAt(to),
})

const findDue = async (
  context: Context,
  filter: DisputeFilter,
  page: ListPage<'due' | '-due'>,
): Promise<ScannedPage> => {
  const { after } = page
  const parameters = {
    ...toParameters(filter),
    after: after?.id ?? null,
    afterValue: after === null || after.value === null ? null : Number(after.value),
    limit: page.limit + 1,
  }
  return scanPage([...scanLengths(page, false, mostScanned, 1), mostScanned], page, async (scanned) => {
    const rows = await context.query(scanDueDisputes[page.sort], { ...parameters, scanned })
    return rows.map((row) => ({ ...row, value: row.value === null ? null : BigInt(row.value) }))
  })
}

const findOthers = async (context: Context, filter: DisputeFilter, page: ListPage): Promise<ScannedPage> => {
  const { sort, after, limit } = page
  const source = isOfUndecided(filter) ? 'undecided' : 'all'
  const { merchantId, state, currency, amountFrom, amountTo, from, to } = filter
  const owners = source === 'undecided' || merchantId !== null ? 1 : (await context.catalog.get(merchantDirectory)).size
  const isFiltered =
    [state, currency, ...(isByValue(sort) ? [from, to] : [amountFrom, amountTo])].some((value) => value !== null) ||
    (source === 'undecided' && merchantId !== null)
  const cursor = { after: after?.id ?? null, afterValue: after?.value ?? null, limit: limit + 1 }
  const most = isFiltered ? scanLengths(page, true, mostScanned, owners) : []
  // Nearly all have the wanted currency; checking it means reading each one's payment.
  return scanPage([...scanLengths(page, false, mostScanned, owners), ...most], page, (scanned) =>
    context.query(scanDisputes[source][sort], { ...toParameters(filter), ...cursor, scanned }),
  )
}

/** A page of disputes of a filter. Sorted by amount, all must have one currency; by deadline, all must be undecided. */
export const listMatchingDisputes = async (
  context: Context,
  filter: DisputeFilter,
  page: ListPage<DisputeSort>,
): Promise<Omit<ScannedPage, 'keys'> & { readonly disputes: Dispute[] }> => {
  const { sort } = page
  const { keys, ...rest } =
    sort === 'due' || sort === '-due'
      ? await findDue(context, filter, { ...page, sort })
      : await findOthers(context, filter, { ...page, sort })
  const found = await listDisputesById(
    context,
    keys.map(({ ownerId, id }) => ({ merchantId: ownerId, id })),
  )
  const byId = new Map(found.map((dispute) => [dispute.id, dispute]))
  return { ...rest, disputes: keys.flatMap(({ id }) => byId.get(id) ?? []) }
}

/** How many disputes match a filter. */
export const countDisputes = async (context: Context, filter: DisputeFilter): Promise<Count> => {
  const source = isOfUndecided(filter) ? 'undecided' : 'all'
  const [row] = await context.query(countMatching[source], { ...toParameters(filter), most: mostCounted + 1 })
  const { matching = 0, examined = 0 } = row ?? {}
  return { matching: Math.min(matching, mostCounted), isExact: examined <= mostCounted }
}
