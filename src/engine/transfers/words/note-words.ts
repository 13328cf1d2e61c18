import type { Tx } from '../../context.ts'
import { type SearchKind, wordsOfTransfer } from '../../../rules/search/search.ts'
import { currencyDecimals } from '../../../rules/values/currency.ts'
import { searchTokens } from './search-tokens.ts'
import { insertEntries, updateTokens } from './store.ts'

export type Worded = Omit<Parameters<typeof wordsOfTransfer>[0], 'decimals'> & {
  readonly requisiteId: string
  readonly id: string
  readonly currency: string
}

const hash = (tx: Tx, transfers: readonly Worded[]) => {
  const tokensOf = searchTokens.storing(tx.vault)
  return transfers.map((transfer) => ({
    ownerId: transfer.requisiteId,
    id: transfer.id,
    tokens: tokensOf(wordsOfTransfer({ ...transfer, decimals: currencyDecimals(transfer.currency) })),
  }))
}

/** Lets new transfers be found by their words. */
export const noteWords = async (tx: Tx, kind: SearchKind, transfers: readonly Worded[]): Promise<void> => {
  if (transfers.length > 0) await tx.query(insertEntries, { kind, rows: hash(tx, transfers) })
}

type NewTransfer = Pick<Worded, 'requisiteId' | 'id' | 'currency' | 'amount'> & {
  readonly bankReference: string | null
  readonly senderMasked: string
  readonly senderName?: string | null
  readonly text?: string | null
  readonly documentNumber?: string | null
}

/** Picks the incoming transfers that are new by their ids, and lets them be found by their words. */
export const withWords = async <Each extends NewTransfer>(
  tx: Tx,
  transfers: readonly Each[],
  ids: ReadonlySet<string>,
): Promise<Each[]> => {
  const fresh = transfers.filter(({ id }) => ids.has(id))
  const worded = fresh.map((each) => ({
    ...each,
    reference: each.bankReference,
    masked: each.senderMasked,
    name: each.senderName ?? null,
    text: each.text ?? null,
    number: each.documentNumber ?? null,
  }))
  await noteWords(tx, 'transfer', worded)
  return fresh
}

/** Hashes the words of transfers with the first key; returns how many hashes changed. */
export const renewWords = async (tx: Tx, kind: SearchKind, transfers: readonly Worded[]): Promise<number> =>
  (await tx.query(updateTokens, { kind, rows: hash(tx, transfers) })).length
