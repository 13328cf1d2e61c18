import type { Context } from '../../context.ts'
import { accountDigits } from '../../../rules/values/account-number.ts'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'
import type { PaymentMethod } from '../../../rules/values/payment-method.ts'
import { type ListPage, type ListSort, mostCounted, scanLengths, scanPage } from '../../../rules/list-page.ts'
import type { Instant } from '../../../rules/time.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { decisionOf } from '../read.ts'
import { listTransfersById } from '../store.ts'
import { countMatching, scanTransfers, type TransferSource } from './store.ts'

/**
 * `unproven`: only those that were credited although only phones have reported them. `unmatched`: only those that wait in
 * the inbox; of these, only the parked ones or only the others (`parked`). The
 * merchant is that of their payments or of their requisite; amounts are inclusive; times are those of recording.
 */
export type TransferFilter = Omit<
  Parameters<typeof countMatching.all.encode>[0],
  'requisiteIds' | 'senderIndexes' | 'from' | 'to' | 'most'
> & {
  readonly requisiteId: string | null
  readonly method: PaymentMethod | null
  readonly bank: string | null
  readonly mode: MerchantMode | null
  /** The sender's whole number. */
  readonly sender: string | null
  readonly from: Instant | null
  readonly to: Instant | null
}

export type ListedTransferRow = Awaited<ReturnType<typeof listMatchingTransfers>>['transfers'][number]

/** Most transfers that a page scans: each may need its parts. */
const mostScanned = 5000

const requisitesOf = async (
  context: Context,
  { requisiteId, method, bank, mode }: Pick<TransferFilter, 'requisiteId' | 'method' | 'bank' | 'mode'>,
): Promise<string[] | null> => {
  if (method === null && bank === null && mode === null) return requisiteId === null ? null : [requisiteId]
  const { byId } = await context.catalog.get(requisitePool)
  return [...byId.values()]
    .filter(
      (each) =>
        (method === null || each.method === method) &&
        (bank === null || each.bankIssuer === bank) &&
        (mode === null || each.mode === mode),
    )
    .flatMap(({ id }) => (requisiteId === null || id === requisiteId ? [id] : []))
}

const sourceOf = ({ sender, statementId, unmatched, unproven }: TransferFilter): TransferSource => {
  if (sender !== null) return 'sender'
  if (statementId !== null) return 'statement'
  if (unmatched) return 'inbox'
  return unproven ? 'unproven' : 'all'
}

/** The field of a filter that a source meets. */
const metBy: Readonly<Record<TransferSource, keyof TransferFilter | null>> = {
  all: null,
  inbox: 'unmatched',
  // Those of it that wait in the inbox are left out.
  unproven: null,
  statement: 'statementId',
  sender: 'sender',
}

/** Whether a filter has a condition that no index of the page meets. */
const isFiltered = (filter: TransferFilter, source: TransferSource): boolean => {
  const met = new Set([
    'from',
    'to',
    metBy[source],
    ...(source === 'all' ? ['requisiteId', 'method', 'bank', 'mode'] : []),
  ])
  // Whether only those that wait, or are not proven, are listed is never null.
  const { unmatched, unproven } = filter
  return Object.entries({ ...filter, unmatched: unmatched || null, unproven: unproven || null }).some(
    ([name, value]) => value !== null && !met.has(name),
  )
}

const toParameters = async (context: Context, filter: TransferFilter, source: TransferSource) => {
  const { from, to, sender, requisiteId, method, bank, mode, ...others } = filter
  return {
    ...others,
    // The other sources include transfers that do not wait.
    unmatched: filter.unmatched && source !== 'inbox',
    requisiteIds: await requisitesOf(context, filter),
    senderIndexes: sender === null ? null : context.vault.blindIndexes('payer', accountDigits(sender)),
    from: from === null ? null : leastIdAt(from),
    to: to === null ? null : leastIdAt(to),
  }
}

/** A page of transfers that match a filter. */
export const listMatchingTransfers = async (
  context: Context,
  filter: TransferFilter,
  page: ListPage<Extract<ListSort, 'newest' | 'oldest'>>,
) => {
  const { sort, after, limit } = page
  const source = sourceOf(filter)
  const filtered = await toParameters(context, filter, source)
  const parameters = { ...filtered, after: after?.id ?? null, afterValue: null, limit: limit + 1 }
  const { size } = (await context.catalog.get(requisitePool)).byId
  const owners = source === 'all' ? (filtered.requisiteIds?.length ?? size) : 1
  const lengths = scanLengths(page, isFiltered(filter, source), mostScanned, owners)
  const scan = (scanned: number) => context.query(scanTransfers[source][sort], { ...parameters, scanned })
  const { keys, ...rest } = await scanPage(lengths, page, scan)
  const wanted = keys.map(({ ownerId, id }) => ({ requisiteId: ownerId, id }))
  const found = wanted.length === 0 ? [] : await context.query(listTransfersById, { rows: wanted })
  const byId = new Map(found.map((row) => [row.id, { ...row, ...decisionOf(row.parts) }]))
  return { ...rest, transfers: keys.flatMap(({ id }) => byId.get(id) ?? []) }
}

/** How many transfers match a filter. */
export const countTransfers = async (context: Context, filter: TransferFilter) => {
  const source = sourceOf(filter)
  const parameters = await toParameters(context, filter, source)
  const [row] = await context.query(countMatching[source], { ...parameters, most: mostCounted + 1 })
  const { matching = 0, examined = 0 } = row ?? {}
  return { matching: Math.min(matching, mostCounted), isExact: examined <= mostCounted }
}
