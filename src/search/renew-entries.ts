import type { Tx } from '../context.ts'
import type { SearchKind } from '../domain/search.ts'
import { type Entry, outgoingEntry, paymentEntry, transferEntry } from './payment-entry.ts'
import { searchTokens } from './search-tokens.ts'
import {
  listEntriesAfter,
  listIndexedOutgoing,
  listIndexedPayments,
  listIndexedTransfers,
  updateTokens,
} from './store.ts'

const rowsAtOnce = 500
const beginning = ['', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']

type Key = { readonly ownerId: string; readonly id: string }

const readers: Readonly<Record<SearchKind, (tx: Tx, rows: readonly Key[]) => Promise<Entry[]>>> = {
  payment: async (tx, rows) => (await tx.query(listIndexedPayments, { rows })).map(paymentEntry),
  transfer: async (tx, rows) =>
    (await tx.query(listIndexedTransfers, { rows })).map((row) => transferEntry(tx.vault, row)),
  outgoing: async (tx, rows) =>
    (await tx.query(listIndexedOutgoing, { rows })).map((row) => outgoingEntry(tx.vault, row)),
}

/** Hashes the words of the entries after a position with the first key; `position` is the last of them, or null at the end. */
export const renewEntries = async (tx: Tx, position: readonly string[] | null) => {
  const [kind = '', ownerId = '', id = ''] = position ?? beginning
  const keys = await tx.query(listEntriesAfter, { kind, ownerId, id, limit: rowsAtOnce })
  let renewed = 0
  for (const [each, rows] of Map.groupBy(keys, (key) => key.kind)) {
    const entries = await readers[each](tx, rows)
    const tokensOf = searchTokens.storing(tx.vault)
    const hashed = entries.map(({ words, ...entry }) => ({ ...entry, tokens: tokensOf(words) }))
    renewed += (await tx.query(updateTokens, { kind: each, rows: hashed })).length
  }
  const last = keys.at(-1)
  const isEnd = keys.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.kind, last.ownerId, last.id], seen: keys.length, renewed }
}
