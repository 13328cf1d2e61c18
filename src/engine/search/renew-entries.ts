import type { Tx } from '../context.ts'
import type { SearchKind } from '../../rules/search/search.ts'
import { listNumbers } from '../statements/read.ts'
import { payeeDetails } from '../transfers/outgoing/payee-details.ts'
import { renewWords, type Worded } from '../transfers/words/note-words.ts'
import { listEntriesAfter, listIndexedOutgoing, listIndexedTransfers } from './store.ts'

type Key = { readonly ownerId: string; readonly id: string }

const read: Readonly<Record<SearchKind, (tx: Tx, rows: readonly Key[]) => Promise<Omit<Worded, 'number'>[]>>> = {
  transfer: async (tx, rows) => {
    const open = (sealed: string | null, column: string, row: string): string | null =>
      sealed === null ? null : tx.vault.decrypt(sealed, { table: 'transfers', column, row })
    return (await tx.query(listIndexedTransfers, { rows })).map((row) => ({
      ...row,
      name: open(row.senderNameSealed, 'sender_name_sealed', row.id),
      text: open(row.textSealed, 'text_sealed', row.id),
    }))
  },
  outgoing: async (tx, rows) =>
    (await tx.query(listIndexedOutgoing, { rows })).map((row) => ({
      ...row,
      ...payeeDetails(tx.vault, row.id, row.detailsSealed),
    })),
}

const rowsAtOnce = 500
const beginning = ['', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']

/** Hashes the words of entries after a position with the first key; `position` is the last, or null at the end. */
export const renewEntries = async (tx: Tx, position: readonly string[] | null) => {
  const [kind = '', ownerId = '', id = ''] = position ?? beginning
  const keys = await tx.query(listEntriesAfter, { kind, ownerId, id, limit: rowsAtOnce })
  let renewed = 0
  for (const [each, rows] of Map.groupBy(keys, (key) => key.kind)) {
    const found = await read[each](tx, rows)
    const numbers = await listNumbers(tx, found)
    renewed += await renewWords(
      tx,
      each,
      found.map((row) => ({ ...row, number: numbers.get(row.id) ?? null })),
    )
  }
  const last = keys.at(-1)
  const isEnd = keys.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.kind, last.ownerId, last.id], renewed }
}
