import type { Context } from '../../context.ts'
import { accountDigits } from '../../../rules/values/account-number.ts'
import type { PaymentMethod } from '../../../rules/values/payment-method.ts'
import {
  type Count,
  cutSorted,
  type ListPage,
  mostCounted,
  type ScannedPage,
  scanLengths,
  scanPage,
} from '../../../rules/list-page.ts'
import type { Instant } from '../../../rules/time.ts'
import type { PartKind, unusualTransfers } from '../../../rules/transfers/transfer.ts'
import { leastIdAt } from '../../../rules/values/uuid-bounds.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { decisionOf } from '../read.ts'
import { listTransfersById } from '../store.ts'
import { countMatching, scanTransfers, scanTransfersByAmount, sortTransfers, type TransferSource } from './store.ts'

/** Which transfers are listed; `null` for all. */
export type TransferFilter = {
  /** Only those that wait in the inbox. */
  readonly unmatched: boolean
  /** Of those in the inbox, only the parked ones, or only the others. */
  readonly parked: boolean | null
  readonly kind: PartKind | null
  /** The merchant of its payments or of its requisite. */
  readonly merchantId: string | null
  readonly requisiteId: string | null
  readonly method: PaymentMethod | null
  readonly bank: string | null
  readonly currency: string | null
  /** Minor units, inclusive. */
  readonly amountFrom: bigint | null
  readonly amountTo: bigint | null
  /** The sender's whole number. */
  readonly sender: string | null
  readonly statementId: string | null
  readonly unusual: (typeof unusualTransfers)[number] | null
  /** When it was recorded: inclusive, exclusive. */
  readonly from: Instant | null
  readonly to: Instant | null
}

export type ListedTransferRow = Awaited<ReturnType<typeof listMatchingTransfers>>['transfers'][number]

/** Most transfers that a page scans: each may need its parts. */
const mostScanned = 5000

const requisitesOf = async (
  context: Context,
  { requisiteId, method, bank }: Pick<TransferFilter, 'requisiteId' | 'method' | 'bank'>,
): Promise<string[] | null> => {
  if (method === null && bank === null) return requisiteId === null ? null : [requisiteId]
  const { byId } = await context.catalog.get(requisitePool)
  return [...byId.values()]
    .filter((each) => (method === null || each.method === method) && (bank === null || each.bankIssuer === bank))
    .flatMap(({ id }) => (requisiteId === null || id === requisiteId ? [id] : []))
}

const sourceOf = ({ sender, statementId, unmatched }: TransferFilter): TransferSource => {
  if (sender !== null) return 'sender'
  if (statementId !== null) return 'statement'
  return unmatched ? 'inbox' : 'all'
}

const open = async (context: Context, filter: TransferFilter) => {
  const { from, to, sender, requisiteId, method, bank, ...others } = filter
  const source = sourceOf(filter)
  const requisiteIds = await requisitesOf(context, filter)
  const parameters = {
    ...others,
    // The other sources include transfers that do not wait.
    unmatched: filter.unmatched && source !== 'inbox',
    requisiteIds,
    senderIndexes: sender === null ? null : context.vault.blindIndexes('payer', accountDigits(sender)),
    from: from === null ? null : leastIdAt(from),
    to: to === null ? null : leastIdAt(to),
  }
  const { parked, kind, merchantId, currency, amountFrom, amountTo, unusual } = others
  const isFiltered =
    parameters.unmatched ||
    (source !== 'all' && requisiteIds !== null) ||
    [parked, kind, merchantId, currency, amountFrom, amountTo, unusual].some((value) => value !== null)
  return { source, parameters, isFiltered }
}

const countOwners = async (context: Context, requisiteIds: readonly string[] | null): Promise<number> =>
  requisiteIds?.length ?? (await context.catalog.get(requisitePool)).byId.size

/** The keys of a page sorted by amount, in one currency. */
const findByAmount = async (
  context: Context,
  filter: TransferFilter,
  sort: 'amount' | '-amount',
  page: ListPage,
  { source, parameters }: Awaited<ReturnType<typeof open>>,
): Promise<ScannedPage> => {
  const at = { after: page.after?.id ?? null, afterValue: page.after?.value ?? null, limit: page.limit + 1 }
  const mayBeFew = source !== 'all' || filter.from !== null || filter.to !== null
  if (mayBeFew) {
    const few = await context.query(sortTransfers[source][sort], { ...parameters, ...at, scanned: mostScanned })
    const cut = cutSorted(few, page)
    if (cut !== null) return cut
  }
  const { unmatched, parked, kind, merchantId, sender, statementId, unusual, from, to } = filter
  const isFiltered =
    unmatched || [parked, kind, merchantId, sender, statementId, unusual, from, to].some((value) => value !== null)
  const lengths = scanLengths(page, isFiltered, mostScanned, await countOwners(context, parameters.requisiteIds))
  return scanPage(lengths, page, (scanned) =>
    context.query(scanTransfersByAmount[sort], { ...parameters, ...at, unmatched, scanned }),
  )
}

const findByTime = async (
  context: Context,
  order: 'newest' | 'oldest',
  page: ListPage,
  { source, parameters, isFiltered }: Awaited<ReturnType<typeof open>>,
): Promise<ScannedPage> => {
  const owners = source === 'all' ? await countOwners(context, parameters.requisiteIds) : 1
  const at = { after: page.after?.id ?? null, afterValue: null, limit: page.limit + 1 }
  return scanPage(scanLengths(page, isFiltered, mostScanned, owners), page, (scanned) =>
    context.query(scanTransfers[source][order], { ...parameters, ...at, scanned }),
  )
}

/** A page of transfers that match a filter. Sorted by amount, all must have one currency. */
export const listMatchingTransfers = async (context: Context, filter: TransferFilter, page: ListPage) => {
  const { sort } = page
  const opened = await open(context, filter)
  const { keys, ...rest } =
    sort === 'newest' || sort === 'oldest'
      ? await findByTime(context, sort, page, opened)
      : await findByAmount(context, filter, sort, page, opened)
  const wanted = keys.map(({ ownerId, id }) => ({ requisiteId: ownerId, id }))
  const found = wanted.length === 0 ? [] : await context.query(listTransfersById, { rows: wanted })
  const byId = new Map(found.map((row) => [row.id, { ...row, ...decisionOf(row.parts) }]))
  return { ...rest, transfers: keys.flatMap(({ id }) => byId.get(id) ?? []) }
}

/** How many transfers match a filter. */
export const countTransfers = async (context: Context, filter: TransferFilter): Promise<Count> => {
  const { source, parameters } = await open(context, filter)
  const [row] = await context.query(countMatching[source], { ...parameters, most: mostCounted + 1 })
  const { matching = 0, examined = 0 } = row ?? {}
  return { matching: Math.min(matching, mostCounted), isExact: examined <= mostCounted }
}
