import type { Tx } from '../context.ts'
import { readers } from './readers.ts'
import { searchTokens } from './search-tokens.ts'
import { listEntriesAfter, updateTokens } from './store.ts'

const rowsAtOnce = 500
const beginning = ['', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']

/** Hashes the words of the entries after a position with the first key; `position` is the last of them, or null at the end. */
export const renewEntries = async (tx: Tx, position: readonly string[] | null) => {
  const [kind = '', ownerId = '', id = ''] = position ?? beginning
  const keys = await tx.query(listEntriesAfter, { kind, ownerId, id, limit: rowsAtOnce })
  let renewed = 0
  for (const [each, rows] of Map.groupBy(keys, (key) => key.kind)) {
    const entries = await readers[each].listIndexed(tx, rows)
    const tokensOf = searchTokens.storing(tx.vault)
    const hashed = entries.map(({ words, ...entry }) => ({ ...entry, tokens: tokensOf(words) }))
    renewed += (await tx.query(updateTokens, { kind: each, rows: hashed })).length
  }
  const last = keys.at(-1)
  const isEnd = keys.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.kind, last.ownerId, last.id], seen: keys.length, renewed }
}
